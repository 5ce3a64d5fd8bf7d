"""What probes found, to read: results from rows, tables, notes on what they mean, figures."""

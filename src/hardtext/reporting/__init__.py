"""Rows to tables, figures and pages; never touches a victim."""

"""What is known of single words and characters: pure look-ups in packaged tables; nothing here knows an attack."""

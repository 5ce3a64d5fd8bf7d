"""The model card of an exported victim: ``README.md`` with the front matter that the Hugging Face hub reads."""

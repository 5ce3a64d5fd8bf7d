"""What saliency rows say, in four views: a corpus word by word, single texts, intensifiers, and what an attack changed."""

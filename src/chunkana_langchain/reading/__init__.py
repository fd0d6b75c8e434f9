"""What is handed over of what was found, within a budget."""

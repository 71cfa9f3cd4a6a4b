"""From a sample to its population: how many people are unique there, and who is found."""

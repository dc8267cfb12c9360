//! What is measured while running: histograms, intervals, steps, attribution, results.

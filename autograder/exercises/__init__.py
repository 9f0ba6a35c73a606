"""The public halves of the exercises: one package an assignment, one module an exercise."""

(** * What the theorems assume *)

From PuzzleSat Require Import Accept.

Print Assumptions accept_sound.

(** * The program: the checker in OCaml *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOCamlInt63.
From PuzzleSat Require Import Statement Accept.

(** OCaml's own, which it makes one instruction of. *)
Extract Inlined Constant fst => "Stdlib.fst".
Extract Inlined Constant snd => "Stdlib.snd".
Extract Inlined Constant negb => "Stdlib.not".

Extraction "extracted/checker" accept.

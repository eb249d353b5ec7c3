(** * The program: the checker in OCaml *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOCamlInt63.
From PuzzleSat Require Import Statement Accept.

(** Use OCaml's own functions, which it compiles to one instruction each. *)
Extract Inlined Constant fst => "Stdlib.fst".
Extract Inlined Constant snd => "Stdlib.snd".
Extract Inlined Constant negb => "Stdlib.not".

Extraction "extracted/checker" accept.

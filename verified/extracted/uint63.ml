(* Words of 63 bits, for the code that Rocq extracts: OCaml's own integers, as small functions that it inlines. *)

(* What is proved is proved of 63 bits. This is run before all else, for it is linked first. *)
let () = if Sys.int_size <> 63 then begin
  prerr_endline ("puzzlesat-verified: this OCaml has words of " ^ string_of_int Sys.int_size ^
    " bits, the proofs want 63; build it on a system of 64 bits, with ocamlopt");
  exit 2
end

type t = int

let of_int (n : int) : t = n
let equal (a : t) (b : t) = a = b
let l_and (a : t) (b : t) : t = a land b
let l_or (a : t) (b : t) : t = a lor b
let l_xor (a : t) (b : t) : t = a lxor b
let sub (a : t) (b : t) : t = a - b
let l_sl (a : t) (n : t) : t = if 0 <= n && n < 63 then a lsl n else 0
let le (a : t) (b : t) = a lxor min_int <= b lxor min_int

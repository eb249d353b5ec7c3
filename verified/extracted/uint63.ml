(* Words of 63 bits, for the code that Rocq extracts: OCaml's own integers, as small functions that it inlines. *)

type t = int

let of_int (n : int) : t = n
let equal (a : t) (b : t) = a = b
let l_and (a : t) (b : t) : t = a land b
let l_or (a : t) (b : t) : t = a lor b
let l_xor (a : t) (b : t) : t = a lxor b
let sub (a : t) (b : t) : t = a - b
let l_sl (a : t) (n : t) : t = if 0 <= n && n < 63 then a lsl n else 0
let le (a : t) (b : t) = a lxor min_int <= b lxor min_int

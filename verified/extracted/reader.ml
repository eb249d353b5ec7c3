(* Reading what unpack.py writes: words and numbers between blanks, each list after its length, then the bytes of the tree. Nothing is
   concluded here; what was read is what [Show] prints. So there is one way only to write a number, words are of visible characters
   (others stand there by % and their codes, and are shown so), and no two things of a sort have the same name. *)

open Checker

exception Wrong of string

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n lsr 1)) else XO (positive (n lsr 1))
let z_of n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))
let nat_of n = let rec up k made = if k = 0 then made else up (k - 1) (S made) in up n O

type certificate = {
  named : string;
  tile_names : string array;
  mark_names : string array;
  cell_names : string array;
  common : int; (* by what the scalar products were multiplied *)
  puzzle : puzzle;
  claim : string * string * string; (* labelled, all, distinct; - for none *)
  hints : hints;
  bytes : string;
  first : int; (* where the tree begins in these bytes *)
  record : int; (* bytes of a number of the tree *)
}

let read bytes =
  let at = ref 0 in
  let word () =
    let blank c = c = ' ' || c = '\n' in
    while !at < String.length bytes && blank bytes.[!at] do incr at done;
    let from = !at in
    while !at < String.length bytes && not (blank bytes.[!at]) do incr at done;
    if !at = from then raise (Wrong "the file ends too soon");
    let word = String.sub bytes from (!at - from) in
    String.iter (fun c -> if c < '!' || c > '~' then raise (Wrong "a word has characters that cannot be seen")) word;
    word
  in
  let number_of w = match int_of_string_opt w with
    | Some n when string_of_int n = w -> n
    | _ -> raise (Wrong ("expected a number, got " ^ w)) in
  let number () = number_of (word ()) in
  let expect w = let got = word () in if got <> w then raise (Wrong ("expected " ^ w ^ ", got " ^ got)) in
  let times n f = if n < 0 || n > String.length bytes then raise (Wrong "a length is none") else
    let rec go k made = if k = 0 then List.rev made else let x = f () in go (k - 1) (x :: made) in go n [] in
  let list f = times (number ()) f in
  let z () = z_of (number ()) in
  let below most what n = if 0 <= n && n < most then n else raise (Wrong (Printf.sprintf "there is no %s %d" what n)) in
  let index most what = nat_of (below most what (number ())) in
  let names what words = if List.length (List.sort_uniq compare words) = List.length words then Array.of_list words
    else raise (Wrong (what ^ " have the same name")) in
  let maybe () = match word () with "-" -> None | w -> Some (z_of (number_of w)) in
  let flag () = match word () with "yes" -> true | "no" -> false | w -> raise (Wrong ("expected yes or no, got " ^ w)) in
  let pair f g () = let a = f () in let b = g () in (a, b) in
  expect "puzzlesat-verified"; expect "1";
  expect "name"; let named = word () in
  expect "kind"; let kind = word () in
  if not (List.mem kind ["tree"; "removals"; "weighting"]) then raise (Wrong ("there is no kind " ^ kind));
  expect "claim"; let l = word () in let a = word () in let d = word () in
  expect "gram"; let n = number () in
  if n <> 2 && n <> 3 then raise (Wrong "a grid has 2 or 3 dimensions");
  let point () = times n z in
  let gram = times n point in
  expect "times"; let common = number () in
  if common < 1 then raise (Wrong "scalar products are not divided by what is not positive");
  expect "unit"; let unit1 = z () in
  expect "names"; let mark_names = names "marks or colours" (list word) in
  expect "cell"; let cell = list (fun () -> let name = word () in let kind = z () in (name, (kind, list point))) in
  let cell_names = names "atoms of the cell" (List.map fst cell) in
  let atom_number () = index (Array.length cell_names) "atom" in
  let atom () = let p = point () in (p, atom_number ()) in
  let name_of w = z_of (below (Array.length mark_names) "mark or colour" (number_of w)) in
  let name () = name_of (word ()) in
  let maybe_name () = match word () with "-" -> None | w -> Some (name_of w) in
  let mark () = let s = atom () in let f = atom () in ((s, f), name ()) in
  expect "symmetries";
  let symmetries = list (fun () ->
    let matrix = times n point in
    let image = times (List.length cell) atom_number in
    let shift = times (List.length cell) point in
    { matrix; image; shift }) in
  let symmetry () = index (List.length symmetries) "symmetry" in
  expect "tiles";
  let named_tiles = list (fun () ->
    let name = word () in
    let body = list atom in
    let marks = list mark in
    let turns = list symmetry in
    let ranges = list (pair z maybe) in
    (name, { body; marks; turns; ranges })) in
  let tile_names = names "tiles" (List.map fst named_tiles) in
  let tile w = nat_of (below (Array.length tile_names) "tile" (number_of w)) in
  expect "required"; let required = list atom in
  expect "optional"; let optional = list atom in
  expect "mates"; let mates = list (pair name maybe_name) in
  expect "fits"; let fits = list (pair name (fun () -> list name)) in
  expect "coloured"; let coloured = list (pair atom name) in
  expect "border"; let border = maybe_name () in
  expect "rules";
  let rules = list (fun () ->
    let atom_weights = list (pair atom z) in
    let tile_weights = list z in
    let least = z () in let most = z () in let modulus = z () in let residue = z () in
    if if modulus = Z0 then residue <> Z0 else (least, most) <> (Z0, Z0) then raise (Wrong "a rule has bounds, or a modulus with a residue");
    { atom_weights; tile_weights; least; most; modulus; residue }) in
  expect "fixed"; let fixed = list (fun () -> let t = tile (word ()) in let covers = list atom in let shows = list mark in (t, (covers, shows))) in
  expect "keep"; let keep = list atom in
  expect "mirrored"; let mirrored = flag () in
  expect "kept"; let kept = match word () with "-" -> None | "atom" -> let a = atom () in Some (Single_atom a, list z)
    | w -> let t = tile w in Some (Single_tile t, list z) in
  expect "removals"; let removals = list (pair z z) in
  expect "weights"; let weights = match word () with "-" -> None | w -> let modulus = z_of (number_of w) in Some (list (pair z z), modulus) in
  expect "tree"; let record = number () in
  if not (List.mem record [1; 2; 4]) then raise (Wrong "a number of the tree has 1, 2 or 4 bytes");
  let length = number () in
  let first = !at + 1 in
  if (weights <> None) <> (kind = "weighting") then raise (Wrong "weights are there where the kind is weighting, and only there");
  if length < 0 || first + length <> String.length bytes then raise (Wrong "the tree is not as long as the file says");
  let puzzle = { gram; unit1; cell = List.map snd cell; symmetries; tiles = List.map snd named_tiles; required; optional; mates;
    fits; coloured; border; rules; fixed; keep; mirrored } in
  { named; tile_names; mark_names; cell_names; common; puzzle; claim = (l, a, d); hints = { kept; removals; starved = kind = "removals"; weights }; bytes; first; record }

(* The next number of the tree, counted from 1, and where the one after it begins. *)
let next certificate =
  let { bytes; record; _ } = certificate in
  let small = Array.init 65536 (fun n -> positive (n + 1)) in
  fun at ->
    if at + record > String.length bytes then None else
    match record with
    | 1 -> Some (small.(Char.code bytes.[at]), at + 1)
    | 2 -> Some (small.(String.get_uint16_le bytes at), at + 2)
    | _ -> Some (positive ((Int32.to_int (String.get_int32_le bytes at) land 0xFFFFFFFF) + 1), at + 4)

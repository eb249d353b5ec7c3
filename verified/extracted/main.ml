(* puzzlesat-verified FILE: says what puzzle a certificate states, whether it is accepted, and what it proves. *)

open Checker
open Reader

let contents path =
  let channel = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> really_input_string channel (in_channel_length channel))

exception Refused of string
exception Too_large of string

(* Each condition is held against each symmetry, for each tile and atom: beyond this the checker would take hours. *)
let most_work = 50_000_000

let bounded p =
  let conditions = List.length p.rules and symmetries = List.length p.symmetries in
  let factors = [conditions; symmetries; List.length p.tiles; List.length p.required + List.length p.optional] in
  let times a b = if b <> 0 && a > most_work / b then most_work + 1 else a * b in
  if List.fold_left times 1 (List.sort compare factors) > most_work then
    raise (Too_large (Printf.sprintf "%d conditions and %d symmetries are too many for a puzzle of this size; the check would take hours"
      conditions symmetries))

(* A path or a message with no character that is none to be seen. *)
let plain = String.map (fun c -> if c < ' ' || c = '\127' then '?' else c)

(* What is proved of the puzzle, as text, - for what is not; refused unless it is what the certificate claims. *)
let counts certificate =
  match accept certificate.puzzle certificate.hints (next certificate) certificate.first with
  | None -> raise (Refused (match missing_translation certificate.puzzle with
    | Some (_ :: _ as u) -> "the lattice of its grid has not all translations of it: " ^ Show.translation certificate.puzzle.unit1 u ^
      " takes all atoms to atoms; state the grid by a smaller cell"
    | _ -> "it does not prove its counts"))
  | Some outcome ->
    let left = String.length certificate.bytes - outcome.rest in
    if left > 0 then raise (Refused (Printf.sprintf "the tree goes on for %d bytes after the search is complete" left));
    if outcome.counted_distinct = None && not (complete_b certificate.puzzle) then
      raise (Refused "it is not proved that no symmetries of its grid are missing, by which tiles might be turned in more ways");
    let some = function None -> "-" | Some n -> Show.decimal n in
    let labelled, every, distinct = certificate.claim in
    let check name claimed proved = if claimed <> "-" && proved <> "-" && claimed <> proved then
      raise (Refused (Printf.sprintf "it claims %s %s; proved is %s" name claimed proved)) in
    check "labelled" labelled (some outcome.counted_labelled);
    check "all" every (Show.decimal outcome.counted_all);
    check "distinct" distinct (some outcome.counted_distinct);
    outcome

let numbers everything some = List.concat (List.mapi (fun n thing -> if List.mem thing some then [n] else []) everything)

let tell certificate outcome =
  let open Show in
  let labelled, _, distinct = certificate.claim in
  let count name claimed = function
    | Some n -> name ^ " " ^ grouped n
    | None -> name ^ " not proved" ^ (if claimed = "-" then "" else " (the certificate claims " ^ claimed ^ ")") in
  line "checked" "the placements were rebuilt from the geometry, none missed";
  line "" "the symmetries of the grid that map the puzzle onto itself were found";
  line "" (if certificate.hints.weights <> None then "the weights of no choice of tiles add up to those of the form"
    else if certificate.hints.starved then "after the removals some atom or tile has too few placements left"
    else "the tree leads to the solutions that are counted, and to no other");
  line "counts" (String.concat ", " 
    [count "labelled" labelled outcome.counted_labelled; count "all" "-" (Some outcome.counted_all);
     count "distinct" distinct outcome.counted_distinct]);
  if outcome.counted_labelled = None then
    line "" "labelled is proved only where copies have a limit, and each tile is one piece, or all or any of its copies are used";
  if outcome.counted_distinct = None && outcome.perhaps_symmetries <> [] then
    line "" (Printf.sprintf "distinct is not proved: a motion may keep the rules that was not seen to (symmetry %s of the grid)"
      (String.concat ", " (List.map string_of_int (numbers certificate.puzzle.symmetries outcome.perhaps_symmetries))))
  else if outcome.counted_distinct = None then
    line "" "distinct is proved only where each tile has a placement, and no two have one that looks the same";
  line "unproved" (Printf.sprintf "%s, %s%s: figures that no theorem covers"
    (many (of_nat outcome.placements_found) "placement" "placements")
    (many (List.length outcome.symmetries_found) "symmetry of the puzzle" "symmetries of the puzzle")
    (if certificate.hints.weights <> None || certificate.hints.starved then ""
     else ", " ^ many (of_z outcome.solutions_found) "solution at the end of the tree" "solutions at the ends of the tree"));
  line "believed" "that the puzzle above is the one you mean";
  line "" "that the atoms of the cell do not overlap, and that marks, mates and rules are what they stand for";
  if List.exists (fun (_, corners) -> List.length corners = 1) certificate.puzzle.cell then
    line "" "that tiles are turned as the grid can be: balls could be turned in more ways";
  line "" "the kernel and the extraction of Rocq, its primitive integers, the OCaml compiler, reader.ml, show.ml and main.ml"

let () =
  match Sys.argv with
  | [| _; path |] ->
    (try
      let certificate = read (contents path) in
      Printf.printf "%s\n" (plain path);
      Show.show certificate;
      bounded certificate.puzzle;
      Sense.puzzle certificate.puzzle;
      let outcome = counts certificate in
      tell certificate outcome;
      Printf.printf "accepted, by a program whose soundness is a theorem\n%!"
    with
    | Refused why | Sense.Senseless why -> Printf.printf "rejected: %s\n" why; exit 1
    | Wrong why -> Printf.eprintf "puzzlesat-verified: %s: %s\n" (plain path) why; exit 1
    | Sys_error why -> Printf.eprintf "puzzlesat-verified: %s\n" (plain why); exit 2
    | Invalid_argument _ | Failure _ -> Printf.eprintf "puzzlesat-verified: %s: it is damaged\n" (plain path); exit 1
    | Too_large why -> Printf.eprintf "puzzlesat-verified: %s: %s\n" (plain path) why; exit 3
    | Stack_overflow -> Printf.eprintf "puzzlesat-verified: %s: too large for the stack; try after 'ulimit -s unlimited'\n" (plain path); exit 3
    | Out_of_memory -> Printf.eprintf "puzzlesat-verified: %s: too large for the memory\n" (plain path); exit 3)
  | _ -> prerr_endline "usage: puzzlesat-verified FILE (made of a certificate by unpack.py)"; exit 2

(* Telling a puzzle as it was read, for a person to compare with what is meant. Nothing is concluded here. *)

open Checker
open Reader

let rec of_positive = function XH -> 1 | XO p -> 2 * of_positive p | XI p -> (2 * of_positive p) + 1
let of_z = function Z0 -> 0 | Zpos p -> of_positive p | Zneg p -> -of_positive p
let of_nat n = let rec up made = function O -> made | S n -> up (made + 1) n in up 0 n

(* A number in digits, however many: groups of three, the last first, are doubled bit by bit. *)
let groups n =
  let rec doubled carry = function
    | [] -> if carry = 0 then [] else [carry]
    | d :: more -> let x = (2 * d) + carry in (x mod 1000) :: doubled (x / 1000) more in
  let rec of_bits = function XH -> [1] | XO p -> doubled 0 (of_bits p) | XI p -> doubled 1 (of_bits p) in
  match List.rev (match n with Z0 -> [0] | Zpos p | Zneg p -> of_bits p) with
  | [] -> []
  | first :: more -> ((match n with Zneg _ -> "-" | _ -> "") ^ string_of_int first) :: List.map (Printf.sprintf "%03d") more
let decimal n = String.concat "" (groups n)
let grouped n = String.concat "," (groups n)

let many n one more = if n = 1 then "1 " ^ one else grouped (z_of n) ^ " " ^ more

let line label text = Printf.printf "  %-12s%s\n" label text

(* Words in lines of some width. *)
let wrapped label words =
  let rec go label room made = function
    | [] -> if made <> [] then line label (String.concat " " (List.rev made))
    | w :: ws ->
      if made <> [] && String.length w + 1 > room then begin line label (String.concat " " (List.rev made)); go "" 96 [] (w :: ws) end
      else go label (room - String.length w - 1) (w :: made) ws in
  go label 96 [] words

let point p = "(" ^ String.concat " " (List.map (fun x -> string_of_int (of_z x)) p) ^ ")"
(* A translation in multiples of 1 / unit, up to a lattice vector. *)
let translation unit1 p =
  let u = of_z unit1 in
  let rec common a b = if b = 0 then a else common b (a mod b) in
  let part x = let x = ((x mod u) + u) mod u in let d = common u x in
    if u = d then string_of_int (x / d) else Printf.sprintf "%d/%d" (x / d) (u / d) in
  "(" ^ String.concat " " (List.map (fun x -> part (of_z x)) p) ^ ")"
let atom c (cell, n) = point cell ^ (if Array.length c.cell_names = 1 then "" else c.cell_names.(of_nat n))
let called c n = c.mark_names.(of_z n)
let mark c ((s, f), n) = if s = f then called c n ^ " on " ^ atom c f else called c n ^ " on " ^ atom c s ^ " of " ^ atom c f

(* Atoms of a grid of one atom a cell as a picture: rows of the second coordinate from above, layers of the third side by side;
   behind the last row stands where its first place is. *)
let picture label atoms sign =
  let cells = List.map (fun (p, _) -> List.map of_z p) atoms in
  let coordinate i = List.map (fun p -> List.nth p i) cells in
  let low i = List.fold_left min max_int (coordinate i) and high i = List.fold_left max min_int (coordinate i) in
  let deep = match cells with p :: _ -> List.length p > 2 | [] -> false in
  let range i = List.init (high i - low i + 1) (fun k -> low i + k) in
  List.iteri (fun k y -> line (if k = 0 then label else "")
    (String.concat "  " (List.map (fun z ->
      String.concat "" (List.map (fun x -> sign (if deep then [x; y; z] else [x; y])) (range 0)))
      (if deep then range 2 else [0])) ^
    (if y > low 1 then "" else "   begins at (" ^ String.concat " " (List.map string_of_int (low 0 :: y :: (if deep then [low 2] else []))) ^ ")")))
    (List.rev (range 1))

(* Places for atoms that are few enough to be drawn, by the coordinates of those that are shown. *)
let few most atoms =
  let small x = -1000 < x && x < 1000 in
  let cells = List.map (fun (p, _) -> List.map of_z p) atoms in
  cells <> [] && List.for_all (List.for_all small) cells &&
  List.fold_left (fun places i ->
    let along = List.map (fun cell -> List.nth cell i) cells in
    places * (List.fold_left max (-1000) along - List.fold_left min 1000 along + 1)) most (List.init (List.length (List.hd cells)) Fun.id) <= 40000

(* Atoms of a grid of several atoms a cell as a picture: each lies in the cell as its centre does among those of the others, and where
   several lie in one place there is a +. The list of the atoms, which is printed too, says exactly which they are. *)
let drawn_in_parts p label atoms sign =
  let centre i (_, corners) = (List.fold_left (fun sum corner -> sum + of_z (List.nth corner i)) 0 corners, List.length corners) in
  let order (a, n) (b, m) = compare (a * m) (b * n) in
  let along = Array.init (List.length p.gram) (fun i -> Array.of_list (List.sort_uniq order (List.map (centre i) p.cell))) in
  let rank i kind = let rec at k = if order along.(i).(k) (centre i kind) = 0 then k else at (k + 1) in at 0 in
  let spots = Array.of_list (List.map (fun kind -> Array.init (Array.length along) (fun i -> rank i kind)) p.cell) in
  let cells = List.map (fun (q, n) -> (Array.of_list (List.map of_z q), of_nat n)) atoms in
  let least = Array.mapi (fun i _ -> List.fold_left (fun m (cell, _) -> min m cell.(i)) max_int cells) along in
  let most = Array.mapi (fun i _ -> List.fold_left (fun m (cell, _) -> max m cell.(i)) min_int cells) along in
  let there = Hashtbl.create 1000 in
  List.iter (fun (cell, n) ->
    let place = Array.mapi (fun i x -> ((x - least.(i)) * Array.length along.(i)) + spots.(n).(i)) cell in
    Hashtbl.replace there place (if Hashtbl.mem there place then "+" else sign (cell, n))) cells;
  let size i = (most.(i) - least.(i) + 1) * Array.length along.(i) in
  let look place = match Hashtbl.find_opt there place with Some s -> s | None ->
    let within = Array.mapi (fun i x -> x mod Array.length along.(i)) place in
    if Array.exists (fun spot -> spot = within) spots then "." else " " in
  let row y z = String.concat "" (List.init (size 0) (fun x -> look (if Array.length along > 2 then [| x; y; z |] else [| x; y |]))) in
  let layers = if Array.length along > 2 then List.init (size 2) Fun.id else [0] in
  List.iteri (fun k y -> line (if k = 0 then label else "") (String.concat "  " (List.map (row y) layers))) (List.rev (List.init (size 1) Fun.id))

let show_parts p label atoms sign =
  let small (_, corners) = List.for_all (List.for_all (fun x -> abs (of_z x) < 1000000)) corners in
  if few (List.length p.cell) atoms && List.for_all small p.cell then drawn_in_parts p label atoms sign

let show_atoms c label atoms sign =
  if Array.length c.cell_names = 1 && few 1 atoms then picture label atoms sign else wrapped label (List.map (atom c) atoms)

let symmetry s =
  "rows " ^ String.concat " " (List.map point s.matrix) ^ ", atoms to " ^
  String.concat " " (List.map2 (fun n shift -> string_of_int (of_nat n) ^ "+" ^ point shift) s.image s.shift)

let range (l, h) = match h with
  | None -> string_of_int (of_z l) ^ " or more"
  | Some h -> if h = l then string_of_int (of_z l) else Printf.sprintf "%d to %d" (of_z l) (of_z h)

let show c =
  let p = c.puzzle in
  line "puzzle" c.named;
  line "" "(this name is only what the file calls itself; look at form and tiles)";
  line "lattice" (Printf.sprintf "%d dimensions, scalar products %s%s" (List.length p.gram) (String.concat " " (List.map point p.gram))
    (if c.common = 1 then "" else ", divided by " ^ string_of_int c.common));
  List.iteri (fun i (kind, corners) ->
    line (if i = 0 then "cell" else "") (Printf.sprintf "atom %d %s, of kind %d, with corners %s%s" i c.cell_names.(i) (of_z kind)
      (String.concat " " (List.map point corners)) (if of_z p.unit1 = 1 then "" else Printf.sprintf " / %d" (of_z p.unit1)))) p.cell;
  List.iteri (fun i s -> line (if i = 0 then "symmetries" else "") (Printf.sprintf "%d: %s" i (symmetry s))) p.symmetries;
  List.iteri (fun i t ->
    line "tile" (Printf.sprintf "%s, %s, copies %s, turned by symmetries: %s" c.tile_names.(i) (many (List.length t.body) "atom" "atoms") (String.concat " and " (List.map range t.ranges))
      (let turns = List.sort_uniq compare (List.map of_nat t.turns) in
       let all = List.mapi (fun n s -> (n, mirror s.matrix)) p.symmetries in
       if turns = List.map fst all then "all of them"
       else if turns = List.map fst (List.filter (fun (_, m) -> not m) all) then "all that are no mirror"
       else "number " ^ String.concat " " (List.map (fun n -> string_of_int (of_nat n)) t.turns)));
    if Array.length c.cell_names > 1 then show_parts p "" t.body (fun _ -> "#");
    show_atoms c "" t.body (fun cell -> if List.exists (fun (q, _) -> List.map of_z q = cell) t.body then "#" else ".");
    if t.marks <> [] then wrapped "" (List.map (fun m -> mark c m ^ ";") t.marks)) p.tiles;
  let there = Hashtbl.create 1000 in
  List.iter (fun (q, _) -> Hashtbl.replace there (List.map of_z q) "o") p.optional;
  List.iter (fun (q, _) -> Hashtbl.replace there (List.map of_z q) "#") p.required;
  line "form" (many (List.length p.required) "atom that must be covered" "atoms that must be covered" ^
    (if p.optional = [] then "" else ", " ^ many (List.length p.optional) "that may be (o)" "that may be (o)"));
  if Array.length c.cell_names = 1 then
    show_atoms c "" (p.required @ p.optional) (fun cell -> try Hashtbl.find there cell with Not_found -> ".")
  else begin
    let free = Hashtbl.create 1000 in
    List.iter (fun (q, n) -> Hashtbl.replace free (List.map of_z q, of_nat n) ()) p.optional;
    show_parts p "" (p.required @ p.optional) (fun (cell, n) -> if Hashtbl.mem free (Array.to_list cell, n) then "o" else "#");
    show_atoms c "required" p.required (fun _ -> ""); show_atoms c "optional" p.optional (fun _ -> "") end;
  if p.mates <> [] then wrapped "marks" (List.map (fun (n, m) ->
    called c n ^ (match m with None -> " meets no other;" | Some m -> " meets " ^ called c m ^ ";")) p.mates);
  (match p.border with None -> () | Some b -> line "border" ("the mark outside of the form is " ^ called c b));
  if p.fits <> [] then wrapped "colours" (List.map (fun (n, on) -> called c n ^ " fits on " ^ (if on = [] then "no colour" else String.concat " or " (List.map (called c) on)) ^ ";") p.fits);
  if p.coloured <> [] then wrapped "coloured" (List.map (fun (a, n) -> atom c a ^ " " ^ called c n ^ ";") p.coloured);
  List.iter (fun r ->
    line "rule" (if of_z r.modulus = 0 then Printf.sprintf "the weights of a solution add up to %d to %d" (of_z r.least) (of_z r.most)
      else Printf.sprintf "the weights of a solution add up to %d modulo %d" (of_z r.residue) (of_z r.modulus));
    wrapped "" (List.map (fun (a, w) -> Printf.sprintf "%s weighs %d;" (atom c a) (of_z w)) r.atom_weights);
    List.iteri (fun i w -> if of_z w <> 0 then line "" (Printf.sprintf "tile %s weighs %d" c.tile_names.(i) (of_z w))) r.tile_weights) p.rules;
  List.iter (fun (t, (covers, shows)) ->
    wrapped "fixed" (("tile " ^ c.tile_names.(of_nat t) ^ " on") :: List.map (atom c) covers @ List.map (mark c) shows)) p.fixed;
  if p.keep <> [] then wrapped "kept" ("by symmetries:" :: List.map (atom c) p.keep);
  line "answers" (if p.mirrored then "that are mirror images count as one" else "that are mirror images count as two")

(* What no puzzle is that a person means, though it has a meaning by [Statement]: refused, so that the puzzle shown is read as it
   counts. Nothing needs to be believed of this: to refuse more proves no less. *)

open Checker

exception Senseless of string

(* Tells what is among things. *)
let those (type thing) (things : thing list) =
  let module Set = Stdlib.Set.Make (struct type t = thing let compare = Stdlib.compare end) in
  let set = Set.of_list things in
  fun thing -> Set.mem thing set

let demand held why = if not held then raise (Senseless why)
let once things why = demand (List.length (List.sort_uniq Stdlib.compare things) = List.length things) why
let all test things why = demand (List.for_all test things) why

(* Fewest and most copies of an identical piece: 0 or more, and no fewer most than fewest. *)
let range (low, high) = Z.leb Z0 low && match high with None -> true | Some h -> Z.leb low h

let tile p marks colours t =
  let body = those t.body in
  once t.body "a tile has an atom twice";
  demand (t.ranges <> []) "no piece is of some tile";
  all range t.ranges "a piece has fewer copies at the most than at the least, or fewer than none";
  once (List.map fst t.marks) "a tile has two marks in one place";
  all (fun (((s, f), n) as m) -> body (face m) && if s = f then colours n else face_at_b p s f && marks n) t.marks
    "a mark lies on no side of one of its tile's faces, or is of no kind that may meet another";
  all (fun m -> List.for_all (fun n -> side m = face m || side n = face n || side m <> side n || m = n || List.mem (called m, Some (called n)) p.mates) t.marks)
    t.marks "two marks inside a tile may not meet"

let puzzle p =
  let form = those (p.required @ p.optional) and marks = those (List.map fst p.mates) and colours = those (List.map fst p.fits) in
  once (List.map fst p.mates) "a mark has two mates";
  once (List.map fst p.fits) "it is said twice what a colour fits on";
  all (fun (n, m) -> match m with None -> true | Some m -> List.mem (m, Some n) p.mates) p.mates
    "a mark may meet another, but not the other way round";
  all (fun (n, _) -> not (colours n)) p.mates "a colour has the name of a mark";
  all marks (Option.to_list p.border) "the border has a mark that may meet none";
  List.iter (tile p marks colours) p.tiles;
  once (List.map (fun t -> List.sort Stdlib.compare (looks p t)) p.tiles) "two tiles look the same; they are one with more copies";
  once (List.map fst p.coloured) "an atom has two colours";
  all (fun (a, _) -> form a) p.coloured "an atom is coloured that is none of the form";
  all form p.keep "an atom is kept that is none of the form";
  List.iter (fun r ->
    once (List.map fst r.atom_weights) "an atom has two weights";
    all (fun (a, _) -> form a) r.atom_weights "an atom has a weight that is none of the form";
    demand (List.length r.tile_weights = List.length p.tiles) "a rule has not as many weights as there are tiles") p.rules;
  once p.fixed "a placement is fixed twice"

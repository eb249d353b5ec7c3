(** * From a puzzle to the tables of its search *)

From Coq Require Import List Bool ZArith Lia.
From PuzzleSat Require Import Statement Sets Find Cover Geometry Covers Trie Tree Tables.
Import ListNotations.
Open Scope Z_scope.

Record tables := {
  its_placements : list placement;
  known : placement -> bool;
  place_of : placement -> place;
  spot_of : item -> place;
  number_of : placement -> positive;   (* their numbers, counted from 1 *)
  rows : list row;
  branches : list branch;
}.

(** Group neighbours with the same key. *)
Fixpoint gather {K V} `{Order K} (l : list (K * V)) : list (K * list V) :=
  match l with
  | [] => []
  | (k, v) :: l =>
    match gather l with
    | [] => [(k, [v])]
    | (k', vs) :: rest => if same k k' then (k, v :: vs) :: rest else (k, [v]) :: (k', vs) :: rest
    end
  end.

Definition numbers {A} (l : list A) : list (A * Z) := combine l (map Z.of_nat (seq 0 (length l))).

(** The marks of each side, and the placements that show each mark. *)
Definition all_shown (number_place : Z -> place) (numbered : list (placement * Z)) : list (atom * list shown) :=
  let marked := set_of (flat_map (fun x => map (fun m => (m, snd x)) (filter (fun m => negb (same (side m) (face m))) (shows (fst x))))
    numbered) in
  gather (map (fun ms => (side (fst ms), (fst ms, set_of_places (map number_place (snd ms))))) (gather marked)).

Definition prepare (P : puzzle) : option tables :=
  let form_index := index_of (map (fun a => (a, tt)) (form_list P)) in
  let inside a := match find a form_index with Some _ => true | None => false end in
  if negb (data_ok P inside && sides_ok P) then None else
  let pls := placements P inside in
  let pls_index := index_of (set_of (numbers pls)) in
  let depth := depth_for (length pls) in
  let place_of p := place_number depth (match find p pls_index with Some n => n | None => 0 end) in
  let numbered := map (fun p => (p, place_of p)) pls in
  let atoms := required P ++ optional P in
  let atom_index := index_of (set_of (numbers atoms)) in
  let item_depth := depth_for (length atoms + length (tiles P)) in
  let spot_of i := place_number item_depth match i with
    | Required a | Optional a => match find a atom_index with Some n => n | None => 0 end
    | Tile n => Z.of_nat (length atoms + n)
    end in
  let infos := map (make_info P numbered spot_of) (all_items P) in
  let leaves := fold_left (fun t x => Trie.add (fst (snd x)) (snd (snd x)) (fst x) t) numbered Trie.TEmpty in
  let sides := all_shown (place_number depth) (numbers pls) in
  let side_index := index_of sides in
  let shown_on s := match find s side_index with Some l => l | None => [] end in
  let number_of p := match find p pls_index with Some n => Z.to_pos (n + 1) | None => 1%positive end in
  let rows := map (make_row P number_of infos shown_on) numbered in
  let branches := map (make_branch rows) infos in
  if Nat.eqb (length (set_of pls)) (length pls) && apart_ok numbered leaves && infos_ok numbered infos && shown_ok numbered sides &&
     forallb (row_ok infos) rows && forallb (choices_ok rows) branches
  then Some {| its_placements := pls; known p := match find p pls_index with Some _ => true | None => false end;
               place_of := place_of; spot_of := spot_of; number_of := number_of; rows := rows; branches := branches |}
  else None.

Record prepared (P : puzzle) (t : tables) : Prop := {
  all_placements : forall p, In p (its_placements t) <-> is_placement P p;
  known_placements : forall p, known t p = true -> In p (its_placements t);
  good_rows : forall r, In r (rows t) -> Search.good_row (problem_of P (its_placements t)) (place_of t) (spot_of t) (number_of t) r;
  each_row : forall p, In p (its_placements t) -> exists r, In r (rows t) /\ Search.id r = p;
  good_branches : forall b, In b (branches t) -> Search.good_branch (problem_of P (its_placements t)) (place_of t) (spot_of t) (number_of t) b;
  each_branch : forall i, In i (all_items P) -> exists b, In b (branches t) /\ Search.item b = i;
  bodies : forall t, In t (tiles P) -> body t <> [];
  placements_once : NoDup (its_placements t);
  form_dimension : forall a, form P a -> length (fst a) = dimension P;
}.

Lemma find_numbers {A} `{Lawful A} (l : list A) x n : find x (index_of (set_of (numbers l))) = Some n -> In x l.
Proof. intros F. apply find_index_of in F. rewrite set_of_In in F. now apply in_combine_l in F. Qed.

Theorem prepare_right P t : prepare P = Some t -> prepared P t.
Proof.
  unfold prepare.
  set (form_index := index_of (map (fun a => (a, tt)) (form_list P))).
  set (inside := fun a => match find a form_index with Some _ => true | None => false end).
  destruct (data_ok P inside && sides_ok P) eqn:D; [|discriminate]. apply andb_true_iff in D as [D Si]. cbn [negb].
  set (pls := placements P inside). set (pls_index := index_of (set_of (numbers pls))).
  set (depth := depth_for (length pls)).
  set (place_of := fun p => place_number depth (match find p pls_index with Some n => n | None => 0 end)).
  set (numbered := map (fun p => (p, place_of p)) pls). set (atoms := required P ++ optional P).
  set (atom_index := index_of (set_of (numbers atoms))). set (item_depth := depth_for (length atoms + length (tiles P))).
  set (spot_of := fun i => place_number item_depth _).
  set (infos := map (make_info P numbered spot_of) (all_items P)).
  set (leaves := fold_left (fun t x => Trie.add (fst (snd x)) (snd (snd x)) (fst x) t) numbered Trie.TEmpty).
  set (sides := all_shown (place_number depth) (numbers pls)).
  set (side_index := index_of sides).
  set (shown_on := fun s => match find s side_index with Some l => l | None => [] end).
  set (number_of := fun p => match find p pls_index with Some n => Z.to_pos (n + 1) | None => 1%positive end).
  set (rows := map (make_row P number_of infos shown_on) numbered). set (branches := map (make_branch rows) infos).
  intros E. destruct (_ && _) eqn:T in E; [|discriminate]. injection E as <-. rewrite !andb_true_iff in T.
  destruct T as (((((T0 & T1) & T2) & T3) & T4) & T5). apply Nat.eqb_eq, set_of_length in T0.
  assert (InF : forall a, inside a = true -> form P a).
  { intros a. unfold inside. destruct (find a form_index) eqn:F; [|discriminate]. intros _.
    apply find_index_of, in_map_iff in F as (b & [= ->] & Hb). now apply form_list_iff. }
  assert (Sh : forall s x, In x (shown_on s) -> exists l, In (s, l) sides /\ In x l).
  { intros s x. unfold shown_on. destruct (find s side_index) as [l|] eqn:F; [|intros []]. intros Hx. exists l.
    split; [now apply find_index_of in F|assumption]. }
  assert (Gr : forall r, In r rows -> Search.good_row (problem_of P pls) place_of spot_of number_of r).
  { intros r Hr. rewrite forallb_forall in T4. specialize (T4 r Hr). unfold rows in Hr. rewrite in_map_iff in Hr.
    destruct Hr as ([p x] & <- & Hp). unfold numbered in Hp. rewrite in_map_iff in Hp. destruct Hp as (p' & [= <- <-] & Hp).
    now apply make_row_good with (numbered := numbered) (leaves := leaves) (all_shown := sides). }
  split; cbn.
  - intros p. split; [now apply placements_are|now apply placements_all].
  - intros p. destruct (find p pls_index) eqn:F; [|discriminate]. intros _. now apply find_numbers in F.
  - exact Gr.
  - intros p Hp. exists (make_row P number_of infos shown_on (p, place_of p)). split; [|reflexivity].
    unfold rows, numbered. rewrite map_map. now apply in_map with (f := fun p => make_row P number_of infos shown_on (p, place_of p)).
  - intros b Hb. rewrite forallb_forall in T5. specialize (T5 b Hb). unfold branches in Hb. rewrite in_map_iff in Hb.
    destruct Hb as (i & <- & Hi). apply make_branch_good with (numbered := numbered) (infos := infos); try easy.
    + unfold rows, numbered, Search.ids. rewrite !map_map. cbn. now rewrite map_id.
    + intros p Hp. unfold rows, numbered, Search.ids. rewrite !map_map. cbn. now rewrite map_id.
  - intros i Hi. exists (make_branch rows (make_info P numbered spot_of i)). split; [|reflexivity].
    unfold branches. apply in_map. unfold infos. now apply in_map.
  - intros u Hu. destruct (tile_data P inside D u Hu) as [(a & more & ->) _]. discriminate.
  - exact T0.
  - intros a Ha. apply form_list_iff in Ha. unfold data_ok in D. apply andb_true_iff in D as [_ D].
    rewrite forallb_forall in D. specialize (D a Ha). apply andb_true_iff in D as [D _]. now apply Nat.eqb_eq.
Qed.

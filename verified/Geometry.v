(** * All placements, rebuilt from the geometry, and the proof that none is missing *)

From Coq Require Import List Bool ZArith Lia.
From PuzzleSat Require Import Statement Sets Find.
Import ListNotations.
Open Scope Z_scope.

(** ** Moving atoms *)

Definition shifted (v : point) (a : atom) : atom := (plus (fst a) v, snd a).
Definition shifted_mark (v : point) (m : mark) : mark := (shifted v (side m), shifted v (face m), called m).
Fixpoint minus (v w : point) : point := match v, w with x :: v, y :: w => x - y :: minus v w | _, _ => [] end.
Definition zero (d : nat) : point := repeat 0 d.

Lemma plus_length v : forall w, length (plus v w) = Nat.min (length v) (length w).
Proof. induction v as [|x v IH]; intros [|y w]; cbn; auto. Qed.

Lemma minus_length v : forall w, length (minus v w) = Nat.min (length v) (length w).
Proof. induction v as [|x v IH]; intros [|y w]; cbn; auto. Qed.

Lemma plus_assoc u : forall v w, plus (plus u v) w = plus u (plus v w).
Proof. induction u as [|x u IH]; intros [|y v] [|z w]; cbn; auto. f_equal; [lia|apply IH]. Qed.

Lemma plus_zero u : forall v, plus (plus u (zero (length v))) v = plus u v.
Proof. induction u as [|x u IH]; intros [|y v]; cbn; auto. f_equal; [lia|apply IH]. Qed.

(** The vector that takes [x + h] to [x + v] takes [y + h] to [y + v] for every [y]. *)
Lemma plus_minus d : forall x y h v, length x = d -> length y = d -> length h = d -> length v = d ->
  plus (plus y h) (minus (plus x v) (plus x h)) = plus y v.
Proof.
  induction d as [|d IH]; intros [|? ?] [|? ?] [|? ?] [|? ?]; cbn; intros; try discriminate; auto.
  f_equal; [lia|]. apply IH; congruence.
Qed.

Lemma move_shifted d g v a : length v = d -> move g v a = shifted v (move g (zero d) a).
Proof. intros <-. unfold move, shifted; cbn [fst snd]. now rewrite plus_zero. Qed.

Lemma move_mark_shifted d g v m : length v = d -> move_mark g v m = shifted_mark v (move_mark g (zero d) m).
Proof. intros E. unfold move_mark, shifted_mark, side, face, called; cbn [fst snd]. now rewrite <- !move_shifted. Qed.

Lemma shifted_shifted u v a : shifted v (shifted u a) = shifted (plus u v) a.
Proof. unfold shifted; cbn [fst snd]. now rewrite plus_assoc. Qed.

Lemma shifted_mark_shifted u v m : shifted_mark v (shifted_mark u m) = shifted_mark (plus u v) m.
Proof. unfold shifted_mark, side, face, called; cbn [fst snd]. now rewrite !shifted_shifted. Qed.

(** ** Looks: the images of a tile under its turns, moved to the corner *)

Definition look : Type := list atom * list mark.

Definition turned (P : puzzle) (t : tile) (g : symmetry) : look :=
  (map (move g (zero (dimension P))) (body t), map (move_mark g (zero (dimension P))) (marks t)).

Definition has_dimension (d : nat) (a : atom) : bool := Nat.eqb (length (fst a)) d.
Definition look_has_dimension (d : nat) (l : look) : bool :=
  forallb (has_dimension d) (fst l) && forallb (fun m => has_dimension d (side m) && has_dimension d (face m)) (snd l).

(** The vector that moves atoms to the corner: their least coordinates, negated. *)
Fixpoint least_of (v w : point) : point := match v, w with x :: v, y :: w => Z.min x y :: least_of v w | _, _ => [] end.
Definition home (d : nat) (l : look) : point :=
  match fst l with
  | [] => zero d
  | a :: atoms => minus (zero d) (fold_left (fun v b => least_of v (fst b)) atoms (fst a))
  end.
Definition at_home (d : nat) (l : look) : look :=
  (set_of (map (shifted (home d l)) (fst l)), set_of (map (shifted_mark (home d l)) (snd l))).

(** The members of a list without repetitions, in the order of their first occurrences. *)
Fixpoint firsts {A} `{Order A} (l seen : list A) : list A :=
  match l with
  | [] => rev seen
  | x :: l => if member x seen then firsts l seen else firsts l (x :: seen)
  end.

Lemma firsts_In {A} `{Lawful A} (l : list A) : forall seen x, In x (firsts l seen) <-> In x l \/ In x seen.
Proof.
  induction l as [|y l IH]; intros seen x; cbn [firsts].
  - rewrite <- in_rev. cbn. tauto.
  - destruct (member y seen) eqn:E; rewrite IH; cbn [In].
    + apply member_iff in E. split; [tauto|]. intros [[<-|]|]; auto.
    + tauto.
Qed.

Definition turns_of (P : puzzle) (t : tile) : list symmetry :=
  flat_map (fun n => match nth_error (symmetries P) n with Some g => [g] | None => [] end) (turns t).
Definition looks (P : puzzle) (t : tile) : list look :=
  firsts (map (fun g => at_home (dimension P) (turned P t g)) (turns_of P t)) [].

Lemma turns_of_In P t g : In g (turns_of P t) <-> exists n, In n (turns t) /\ nth_error (symmetries P) n = Some g.
Proof.
  unfold turns_of. rewrite in_flat_map. split.
  - intros (n & Hn & H). exists n. destruct (nth_error _ n); [|destruct H]. destruct H as [->|[]]. auto.
  - intros (n & Hn & E). exists n. rewrite E. cbn. auto.
Qed.

(** ** Faces at a side *)

Fixpoint divided (n : Z) (v : point) : point := match v with [] => [] | x :: v => x / n :: divided n v end.

(** The atoms that have the point [x] as a corner. *)
Definition atoms_at (P : puzzle) (x : point) : list atom :=
  flat_map (fun n => map (fun k => (divided (unit P) (minus x k), n)) (snd (nth n (cell P) (0, []))))
    (seq 0 (length (cell P))).

Definition same_kind (P : puzzle) (a b : atom) : bool :=
  match kind P a, kind P b with Some x, Some y => x =? y | None, None => true | _, _ => false end.

Definition face_at_b (P : puzzle) (s f : atom) : bool :=
  match kind P f with None => false | _ => true end && has_dimension (dimension P) f &&
  same_kind P f ([], 0%nat) && negb (same_kind P s f) && forallb (fun x => member x (corners P f)) (corners P s).

Lemma same_kind_iff P a b : same_kind P a b = true <-> kind P a = kind P b.
Proof.
  unfold same_kind. destruct (kind P a), (kind P b); try rewrite Z.eqb_eq; split; congruence.
Qed.

Lemma face_at_iff P s f : face_at_b P s f = true <-> face_at P s f.
Proof.
  unfold face_at_b, face_at, has_dimension. rewrite !andb_true_iff, Nat.eqb_eq, same_kind_iff, negb_true_iff, forallb_forall.
  assert (N : same_kind P s f = false <-> kind P s <> kind P f).
  { rewrite <- same_kind_iff. destruct (same_kind P s f); split; congruence. }
  rewrite N. clear N. unfold incl. assert (M : match kind P f with None => false | _ => true end = true <-> kind P f <> None).
  { destruct (kind P f); split; congruence. }
  rewrite M. clear M. split.
  - intros ((((A & B) & C) & D) & E). repeat (split; [assumption|]). intros x Hx. now apply member_iff, E.
  - intros (A & B & C & D & E). repeat split; try assumption. intros x Hx. now apply member_iff, E.
Qed.

Lemma divided_times n : n <> 0 -> forall c k, length c = length k -> divided n (minus (plus (times n c) k) k) = c.
Proof.
  intros Hn. induction c as [|x c IH]; intros [|y k]; cbn; intros E; try discriminate; auto.
  f_equal; [|apply IH; congruence]. rewrite Z.add_simpl_r, Z.mul_comm. now apply Z.div_mul.
Qed.

Definition cell_ok (P : puzzle) : bool :=
  (0 <? unit P) &&
  forallb (fun a => match snd a with [] => false | _ => true end &&
    forallb (fun k => Nat.eqb (length k) (dimension P)) (snd a))%bool (cell P).

Lemma atoms_found P f x : cell_ok P = true -> is_atom P f -> In x (corners P f) -> In f (atoms_at P x).
Proof.
  unfold cell_ok. rewrite andb_true_iff, Z.ltb_lt, forallb_forall. intros [U C] [D K] Hx.
  unfold corners in Hx. apply in_map_iff in Hx as (k & <- & Hk).
  apply nth_error_Some in K. destruct (nth_error (cell P) (snd f)) as [[z ks]|] eqn:E; [clear K|now destruct K].
  rewrite (nth_error_nth _ _ _ E) in Hk. cbn [snd] in Hk.
  unfold atoms_at. apply in_flat_map. exists (snd f). split.
  - apply in_seq. split; [lia|]. cbn. apply nth_error_Some. congruence.
  - rewrite (nth_error_nth _ _ _ E). apply in_map_iff. exists k. split; [|assumption].
    rewrite divided_times; [now destruct f|lia|].
    apply nth_error_In, C in E. cbn [snd] in E. apply andb_true_iff in E as [_ E]. rewrite forallb_forall in E.
    specialize (E k Hk). apply Nat.eqb_eq in E. congruence.
Qed.

Lemma faces_found P s f x more : cell_ok P = true -> corners P s = x :: more -> face_at P s f -> In f (atoms_at P x).
Proof.
  intros C Es (K & D & _ & _ & I). apply atoms_found; [assumption| |apply I; rewrite Es; now left].
  split; [assumption|]. unfold kind in K. apply nth_error_Some. intros E. apply K. now rewrite E.
Qed.

(** ** The possible places of a look *)

Section Places.
Variable P : puzzle.
Variable inside : atom -> bool.   (* true if an atom belongs to the form *)

Definition colours_fit_b (l : look) : bool :=
  forallb (fun m => negb (same (side m) (face m)) || forallb (fun ac => negb (same (fst ac) (face m)) ||
    existsb (fun f => same (fst f) (called m) && member (snd ac) (snd f)) (fits P)) (coloured P)) (snd l).

Definition may_meet (n : Z) (b : Z) : bool :=
  existsb (fun m => same (fst m) n && match snd m with Some k => k =? b | None => false end) (mates P).

Definition looks_out (s : atom) : bool :=
  match corners P s with
  | [] => true
  | x :: _ => existsb (fun f => face_at_b P s f && negb (inside f)) (atoms_at P x)
  end.

Definition border_met_b (l : look) : bool :=
  match border P with
  | None => true
  | Some b => forallb (fun m => same (side m) (face m) || may_meet (called m) b || negb (looks_out (side m))) (snd l)
  end.

(** Lay a look on a target, an atom of the form: its first atom covers the target, which must have the same number in the cell. *)
Definition laid (l : look) (target : atom) : list look :=
  match fst l with
  | [] => []
  | first :: _ =>
    let v := minus (fst target) (fst first) in
    let atoms := map (shifted v) (fst l) in
    if Nat.eqb (snd target) (snd first) && forallb inside atoms then
      let there := (set_of atoms, set_of (map (shifted_mark v) (snd l))) in
      if colours_fit_b there && border_met_b there then [there] else []
    else []
  end.

Definition form_list : list atom := set_of (required P ++ optional P).

Definition placements_of (n : nat) (t : tile) : list placement :=
  flat_map (fun l => flat_map (fun target => map (pair n) (laid l target)) form_list) (looks P t).

Definition placements : list placement :=
  flat_map (fun nt => placements_of (fst nt) (snd nt)) (combine (seq 0 (length (tiles P))) (tiles P)).

(** The requirements on the data of the puzzle: points have the dimension of the lattice, and no tile is without atoms. *)
Definition data_ok : bool :=
  cell_ok P &&
  forallb (fun t => match body t with [] => false | _ => true end &&
    forallb (fun g => look_has_dimension (dimension P) (turned P t g)) (turns_of P t)) (tiles P) &&
  forallb (fun a => has_dimension (dimension P) a && inside a) form_list.

Hypothesis inside_form : forall a, inside a = true -> form P a.
Hypothesis ok : data_ok = true.

Lemma form_list_iff a : In a form_list <-> form P a.
Proof. unfold form_list, form. now rewrite set_of_In, in_app_iff. Qed.

Lemma inside_iff a : inside a = true <-> form P a.
Proof.
  split; [apply inside_form|]. intros F. apply form_list_iff in F. unfold data_ok in ok.
  apply andb_true_iff in ok as [_ D]. rewrite forallb_forall in D. apply D in F. now apply andb_true_iff in F.
Qed.

Lemma colours_fit_iff p : colours_fit_b (snd p) = true <-> colours_fit P p.
Proof.
  unfold colours_fit_b, colours_fit. rewrite forallb_forall. fold (shows p). split.
  - intros H m c Hm E Hc. specialize (H m Hm). apply orb_true_iff in H as [H|H].
    { apply negb_true_iff in H. assert (X := proj2 (same_iff (side m) (face m)) E). congruence. }
    rewrite forallb_forall in H. specialize (H _ Hc). apply orb_true_iff in H as [H|H].
    { cbn [fst] in H. apply negb_true_iff in H. assert (X := proj2 (same_iff (face m) (face m)) eq_refl). congruence. }
    apply existsb_exists in H as ([k on] & Hk & H). cbn [fst snd] in H. apply andb_true_iff in H as [H1 H2].
    apply same_iff in H1 as ->. apply member_iff in H2. eauto.
  - intros H m Hm. destruct (same (side m) (face m)) eqn:E; [|reflexivity]. apply same_iff in E. cbn [negb orb].
    apply forallb_forall. intros [a c] Hc. cbn [fst snd]. destruct (same a (face m)) eqn:E'; [|reflexivity].
    apply same_iff in E' as ->. cbn [negb orb]. destruct (H m c Hm E Hc) as (on & Hon & Hin).
    apply existsb_exists. exists (called m, on). split; [assumption|]. cbn [fst snd].
    apply andb_true_iff. split; [now apply same_iff|now apply member_iff].
Qed.

Lemma may_meet_iff n b : may_meet n b = true <-> In (n, Some b) (mates P).
Proof.
  unfold may_meet. rewrite existsb_exists. split.
  - intros ([k [c|]] & Hk & H); cbn [fst snd] in H; apply andb_true_iff in H as [H1 H2]; [|discriminate].
    apply same_iff in H1 as ->. apply Z.eqb_eq in H2 as ->. assumption.
  - intros H. exists (n, Some b). split; [assumption|]. cbn [fst snd]. apply andb_true_iff. split; [now apply same_iff|].
    apply Z.eqb_refl.
Qed.

(** Marks on atoms that are not in the cell have no corners. They count as looking out, so [border_met_b] can be false although [border_met]
    holds. So no tile may have such marks if there is a border. *)
Definition sides_ok : bool :=
  match border P with
  | None => true
  | Some _ => forallb (fun t => forallb (fun g => forallb (fun m => Nat.ltb (snd (side m)) (length (cell P)))
      (snd (turned P t g))) (turns_of P t)) (tiles P)
  end.

Lemma border_met_iff p : (border P <> None -> forall m, In m (shows p) -> (snd (side m) < length (cell P))%nat) ->
  border_met_b (snd p) = true <-> border_met P p.
Proof.
  unfold border_met_b, border_met. intros S. destruct (border P) as [b|]; [|split; [discriminate|reflexivity]].
  rewrite forallb_forall. fold (shows p).
  assert (L : forall m, In m (shows p) -> looks_out (side m) = false <-> forall f, face_at P (side m) f -> form P f).
  { intros m Hm. specialize (S ltac:(discriminate) m Hm). unfold looks_out.
    assert (C : cell_ok P = true). { unfold data_ok in ok. rewrite !andb_true_iff in ok. tauto. }
    destruct (corners P (side m)) as [|x more] eqn:E.
    { exfalso. unfold corners in E. apply map_eq_nil in E.
      pose proof C as C'. unfold cell_ok in C'. apply andb_true_iff in C' as [_ C']. rewrite forallb_forall in C'.
      set (c := nth _ _ _) in E. specialize (C' c ltac:(now apply nth_In)). clearbody c. destruct c as [z ks]. cbn [snd] in *. subst ks. discriminate. }
    rewrite <- not_true_iff_false, existsb_exists. split.
    - intros N f Hf. destruct (inside f) eqn:I; [now apply inside_iff|]. exfalso. apply N. exists f.
      split; [now apply (faces_found P (side m) f x more)|]. apply andb_true_iff. rewrite I.
      split; [now apply face_at_iff|reflexivity].
    - intros H (f & _ & Hf). apply andb_true_iff in Hf as [H1 H2]. apply face_at_iff, H, inside_iff in H1.
      rewrite H1 in H2. discriminate. }
  split.
  - intros H b' m [= <-] Hm D. specialize (H m Hm). rewrite !orb_true_iff in H. destruct H as [[H|H]|H].
    + now apply same_iff in H.
    + left. now apply may_meet_iff.
    + right. apply L; [assumption|]. now apply negb_true_iff.
  - intros H m Hm. destruct (same (side m) (face m)) eqn:E; [reflexivity|]. cbn [orb].
    destruct (H b m eq_refl Hm) as [M|M].
    + intros F. apply same_iff in F. congruence.
    + apply may_meet_iff in M. now rewrite M.
    + apply (L m Hm) in M. rewrite M. apply orb_true_r.
Qed.

Lemma placements_In p :
  In p placements <-> exists t, nth_error (tiles P) (tile_of p) = Some t /\
    exists l target, In l (looks P t) /\ In target form_list /\ In (snd p) (laid l target).
Proof.
  unfold placements. rewrite in_flat_map. split.
  - intros ([n t] & Hnt & H). cbn [fst snd] in H. unfold placements_of in H.
    apply in_flat_map in H as (l & Hl & H). apply in_flat_map in H as (target & Ht & H).
    apply in_map_iff in H as (k & <- & Hk). exists t. cbn [tile_of fst snd]. split; [|eauto].
    apply In_nth_error in Hnt as (i & Hi).
    assert (Ei : nth_error (seq 0 (length (tiles P))) i = Some n /\ nth_error (tiles P) i = Some t).
    { revert Hi. clear. generalize (seq 0 (length (tiles P))) as s. generalize (tiles P) as ts. revert i.
      induction i as [|i IH]; intros [|t' ts] [|n' s]; cbn; try discriminate; auto. now intros [= -> ->]. }
    destruct Ei as [E1 E2]. assert (L : (i < length (tiles P))%nat) by (apply nth_error_Some; congruence).
    rewrite (nth_error_nth' _ 0%nat) in E1 by now rewrite seq_length. rewrite seq_nth in E1 by assumption.
    injection E1 as <-. exact E2.
  - intros (t & Et & l & target & Hl & Htarget & H). exists (tile_of p, t). split.
    + assert (L : (tile_of p < length (tiles P))%nat) by (apply nth_error_Some; congruence).
      revert Et L. generalize (tile_of p) as i. generalize (tiles P) as ts.
      assert (G : forall (ts : list tile) i k, nth_error ts i = Some t -> In (k + i, t)%nat (combine (seq k (length ts)) ts)).
      { induction ts as [|u ts IH]; intros [|i] k; cbn; try discriminate.
        - intros [= ->]. left. f_equal. lia.
        - intros E. right. specialize (IH i (S k) E). now replace (k + S i)%nat with (S k + i)%nat by lia. }
      intros ts i E _. apply (G ts i 0%nat E).
    + cbn [fst snd]. unfold placements_of. apply in_flat_map. exists l. split; [assumption|].
      apply in_flat_map. exists target. split; [assumption|]. apply in_map_iff. exists (snd p). split; [|assumption].
      destruct p; reflexivity.
Qed.

(** A look laid on a target is the tile, turned and moved. Conversely, every turned and moved tile on the form is one of its looks, laid on
    the target that its first atom covers. *)
Lemma laid_In l target k : In k (laid l target) <-> exists first more, fst l = first :: more /\
  let v := minus (fst target) (fst first) in
  snd target = snd first /\ forallb inside (map (shifted v) (fst l)) = true /\
  k = (set_of (map (shifted v) (fst l)), set_of (map (shifted_mark v) (snd l))) /\
  colours_fit_b k = true /\ border_met_b k = true.
Proof.
  unfold laid. destruct (fst l) as [|first more].
  - split; [intros []|]. intros (? & ? & ? & _). discriminate.
  - cbv zeta. split.
    + intros H. exists first, more. split; [reflexivity|].
      destruct (_ && _) eqn:E in H; [|destruct H]. apply andb_true_iff in E as [E1 E2]. apply Nat.eqb_eq in E1.
      destruct (_ && _) eqn:E in H; [|destruct H]. apply andb_true_iff in E as [E3 E4].
      destruct H as [<-|[]]. auto.
    + intros (? & ? & [= <- <-] & E1 & E2 & -> & E3 & E4). apply Nat.eqb_eq in E1. rewrite E1, E2, E3, E4. now left.
Qed.

Lemma tile_data t : In t (tiles P) -> (exists a more, body t = a :: more) /\
  forall g, In g (turns_of P t) -> look_has_dimension (dimension P) (turned P t g) = true.
Proof.
  intros Ht. unfold data_ok in ok. rewrite !andb_true_iff in ok. destruct ok as [[_ D] _].
  rewrite forallb_forall in D. specialize (D t Ht). apply andb_true_iff in D as [D1 D2].
  rewrite forallb_forall in D2. split; [|assumption]. destruct (body t); [discriminate|eauto].
Qed.

Lemma home_length d l : look_has_dimension d l = true -> length (home d l) = d.
Proof.
  unfold look_has_dimension, home. rewrite andb_true_iff, forallb_forall. intros [D _]. destruct (fst l) as [|a atoms].
  - apply repeat_length.
  - rewrite minus_length. unfold zero. rewrite repeat_length.
    assert (L : length (fst a) = d) by (apply Nat.eqb_eq, D; now left).
    assert (G : forall atoms v, length v = d -> (forall b, In b atoms -> has_dimension d b = true) ->
      length (fold_left (fun v b => least_of v (fst b)) atoms v) = d).
    { clear. induction atoms as [|b atoms IH]; intros v E H; [assumption|]. cbn [fold_left]. apply IH.
      - assert (B : length (fst b) = d) by (apply Nat.eqb_eq, H; now left).
        revert E B. clear. generalize (fst b) as w. revert v. induction d as [|d IH]; intros [|x v] [|y w]; cbn; intros;
          try discriminate; auto.
      - intros c Hc. apply H. now right. }
    rewrite G; [lia|assumption|]. intros b Hb. apply D. now right.
Qed.

(** The atoms and marks of a look are those of the turned tile, moved to the corner. *)
Lemma at_home_atoms d l a : In a (fst (at_home d l)) <-> exists b, In b (fst l) /\ a = shifted (home d l) b.
Proof. unfold at_home; cbn [fst]. rewrite set_of_In, in_map_iff. split; intros (b & ? & ?); exists b; auto. Qed.
Lemma at_home_marks d l m : In m (snd (at_home d l)) <-> exists n, In n (snd l) /\ m = shifted_mark (home d l) n.
Proof. unfold at_home; cbn [snd]. rewrite set_of_In, in_map_iff. split; intros (b & ? & ?); exists b; auto. Qed.

Let d := dimension P.

(** The look under the turn [g], moved by [v], is the tile turned by [g] and moved by the sum of [v] and the vector to the corner. *)
Lemma look_moved t g v p : length v = d -> length (home d (turned P t g)) = d ->
  covers p = set_of (map (shifted v) (fst (at_home d (turned P t g)))) ->
  shows p = set_of (map (shifted_mark v) (snd (at_home d (turned P t g)))) ->
  turned_tile t g (plus (home d (turned P t g)) v) p.
Proof.
  intros Lv Lh E1 E2. unfold turned_tile. rewrite E1, E2. assert (L : length (plus (home d (turned P t g)) v) = d) by (rewrite plus_length; lia).
  split; apply is_set_set_of; intros x; rewrite in_map_iff.
  - split.
    + intros (y & <- & Hy). apply at_home_atoms in Hy as (z & Hz & ->). unfold turned in Hz. cbn [fst] in Hz.
      apply in_map_iff in Hz as (b & <- & Hb). exists b. split; [assumption|].
      rewrite (move_shifted d g (plus _ v)) by exact L. now rewrite shifted_shifted.
    + intros (b & Hb & ->). exists (shifted (home d (turned P t g)) (move g (zero d) b)). split.
      * rewrite shifted_shifted. symmetry. now apply move_shifted.
      * apply at_home_atoms. eexists. split; [|reflexivity]. unfold turned. cbn [fst]. now apply in_map.
  - split.
    + intros (y & <- & Hy). apply at_home_marks in Hy as (z & Hz & ->). unfold turned in Hz. cbn [snd] in Hz.
      apply in_map_iff in Hz as (b & <- & Hb). exists b. split; [assumption|].
      rewrite (move_mark_shifted d g (plus _ v)) by exact L. now rewrite shifted_mark_shifted.
    + intros (b & Hb & ->). exists (shifted_mark (home d (turned P t g)) (move_mark g (zero d) b)). split.
      * rewrite shifted_mark_shifted. symmetry. now apply move_mark_shifted.
      * apply at_home_marks. eexists. split; [|reflexivity]. unfold turned. cbn [snd]. now apply in_map.
Qed.

Hypothesis sides : sides_ok = true.

Lemma turned_sides t g v p : In t (tiles P) -> In g (turns_of P t) -> turned_tile t g v p ->
  border P <> None -> forall m, In m (shows p) -> (snd (side m) < length (cell P))%nat.
Proof.
  intros Ht Hg [_ [_ M]] B m Hm. apply M in Hm as (n & Hn & ->). unfold sides_ok in sides.
  destruct (border P); [|congruence]. rewrite forallb_forall in sides. specialize (sides t Ht).
  rewrite forallb_forall in sides. specialize (sides g Hg). rewrite forallb_forall in sides.
  specialize (sides (move_mark g (zero (dimension P)) n)). apply Nat.ltb_lt, sides. unfold turned. cbn [snd]. now apply in_map.
Qed.

Theorem placements_are p : In p placements -> is_placement P p.
Proof.
  rewrite placements_In. intros (t & Et & l & target & Hl & Ht & H).
  pose proof (nth_error_In _ _ Et) as It. destruct (tile_data t It) as [_ D].
  unfold looks in Hl. apply firsts_In in Hl as [Hl|[]]. apply in_map_iff in Hl as (g & <- & Hg).
  specialize (D g Hg). fold d in D, H. pose proof (home_length d _ D) as Lh.
  apply laid_In in H as (first & more & E & _ & I & Ep & C & B). set (v := minus (fst target) (fst first)) in *.
  assert (Lt : length (fst target) = d).
  { unfold data_ok in ok. apply andb_true_iff in ok as [_ F]. rewrite forallb_forall in F. specialize (F _ Ht).
    apply andb_true_iff in F as [F _]. now apply Nat.eqb_eq in F. }
  assert (Lf : length (fst first) = d).
  { assert (Hf : In first (fst (at_home d (turned P t g)))) by (rewrite E; now left).
    apply at_home_atoms in Hf as (b & Hb & ->). unfold shifted; cbn [fst]. rewrite plus_length.
    unfold look_has_dimension in D. apply andb_true_iff in D as [D _]. rewrite forallb_forall in D.
    specialize (D b Hb). apply Nat.eqb_eq in D. lia. }
  assert (Lv : length v = d) by (unfold v; rewrite minus_length; lia).
  assert (T : turned_tile t g (plus (home d (turned P t g)) v) p).
  { apply look_moved; try assumption; unfold covers, shows; now rewrite Ep. }
  split; [|split; [|split]].
  - apply turns_of_In in Hg as (n & Hn & Eg). exists t, n, g, (plus (home d (turned P t g)) v).
    repeat (split; [assumption|]). split; [|assumption]. rewrite plus_length, Lh, Lv. apply Nat.min_id.
  - intros a Ha. unfold covers in Ha. rewrite Ep in Ha. cbn [fst] in Ha. rewrite set_of_In in Ha.
    rewrite forallb_forall in I. now apply inside_iff, I.
  - now apply colours_fit_iff.
  - apply border_met_iff; [|assumption]. now apply (turned_sides t g (plus (home d (turned P t g)) v)).
Qed.

Theorem placements_all p : is_placement P p -> In p placements.
Proof.
  intros ((t & n & g & v & Et & Hn & Eg & Lv & T) & F & C & B). rewrite placements_In. exists t. split; [assumption|].
  pose proof (nth_error_In _ _ Et) as It. destruct (tile_data t It) as [(b0 & more & Eb) D].
  assert (Hg : In g (turns_of P t)) by (apply turns_of_In; eauto).
  specialize (D g Hg). fold d in D, Lv. pose proof (home_length d _ D) as Lh. set (h := home d (turned P t g)) in *.
  set (l := at_home d (turned P t g)).
  assert (A : forall b, In b (body t) -> length (fst (move g (zero d) b)) = d).
  { intros b Hb. unfold look_has_dimension in D. apply andb_true_iff in D as [D _]. rewrite forallb_forall in D.
    apply Nat.eqb_eq, D. unfold turned; cbn [fst]. now apply in_map. }
  assert (M : forall m, In m (marks t) ->
    length (fst (move g (zero d) (side m))) = d /\ length (fst (move g (zero d) (face m))) = d).
  { intros m Hm. unfold look_has_dimension in D. apply andb_true_iff in D as [_ D]. rewrite forallb_forall in D.
    specialize (D (move_mark g (zero d) m)). unfold turned in D; cbn [snd] in D. specialize (D (in_map _ _ _ Hm)).
    apply andb_true_iff in D as [D1 D2]. apply Nat.eqb_eq in D1, D2. auto. }
  assert (Hb0 : In b0 (body t)) by (rewrite Eb; now left).
  destruct (fst l) as [|first others] eqn:El.
  { assert (X : In (shifted h (move g (zero d) b0)) (fst l)).
    { apply at_home_atoms. eexists. split; [|reflexivity]. unfold turned; cbn [fst]. now apply in_map. }
    rewrite El in X. destruct X. }
  assert (Hf : In first (fst l)) by (rewrite El; now left).
  apply at_home_atoms in Hf as (x & Hx & ->). unfold turned in Hx; cbn [fst] in Hx. apply in_map_iff in Hx as (b & <- & Hb).
  fold d h in El.
  assert (S : forall y, length (fst y) = d ->
    shifted (minus (fst (move g v b)) (fst (shifted h (move g (zero d) b)))) (shifted h y) = shifted v y).
  { intros y Ly. rewrite (move_shifted d g v) by assumption. unfold shifted; cbn [fst snd]. f_equal.
    apply (plus_minus d); auto. }
  destruct T as [[As Ain] [Ms Min]].
  assert (Eq1 : covers p = set_of (map (shifted (minus (fst (move g v b)) (fst (shifted h (move g (zero d) b))))) (fst l))).
  { apply ascending_unique; [assumption|apply set_of_ascending|]. intros a. rewrite Ain, set_of_In, in_map_iff. split.
    - intros (c & Hc & ->). exists (shifted h (move g (zero d) c)). split.
      + rewrite S by auto. symmetry. now apply move_shifted.
      + apply at_home_atoms. eexists. split; [|reflexivity]. unfold turned; cbn [fst]. now apply in_map.
    - intros (y & <- & Hy). apply at_home_atoms in Hy as (z & Hz & ->). unfold turned in Hz; cbn [fst] in Hz.
      apply in_map_iff in Hz as (c & <- & Hc). exists c. split; [assumption|]. fold d h. rewrite S by auto.
      symmetry. now apply move_shifted. }
  assert (Eq2 : shows p = set_of (map (shifted_mark (minus (fst (move g v b)) (fst (shifted h (move g (zero d) b))))) (snd l))).
  { assert (S' : forall m, In m (marks t) ->
      shifted_mark (minus (fst (move g v b)) (fst (shifted h (move g (zero d) b)))) (shifted_mark h (move_mark g (zero d) m))
      = move_mark g v m).
    { intros m Hm. destruct (M m Hm) as [M1 M2]. rewrite (move_mark_shifted d g v) by assumption.
      unfold shifted_mark, move_mark, side, face, called; cbn [fst snd]. unfold side, face in M1, M2.
      now rewrite !S by assumption. }
    apply ascending_unique; [assumption|apply set_of_ascending|]. intros a. rewrite Min, set_of_In, in_map_iff. split.
    - intros (c & Hc & ->). exists (shifted_mark h (move_mark g (zero d) c)). split; [now apply S'|].
      apply at_home_marks. eexists. split; [|reflexivity]. unfold turned; cbn [snd]. now apply in_map.
    - intros (y & <- & Hy). apply at_home_marks in Hy as (z & Hz & ->). unfold turned in Hz; cbn [snd] in Hz.
      apply in_map_iff in Hz as (c & <- & Hc). exists c. split; [assumption|]. fold d h. now rewrite S'. }
  exists l, (move g v b). split; [|split].
  - unfold looks. apply firsts_In. left. apply in_map_iff. exists g. split; [reflexivity|assumption].
  - apply form_list_iff, F. apply Ain. eauto.
  - apply laid_In. exists (shifted h (move g (zero d) b)), others. split; [assumption|]. cbv zeta. split; [reflexivity|].
    split; [|split; [|split]].
    + apply forallb_forall. intros a Ha. apply inside_iff, F. rewrite Eq1. now apply set_of_In.
    + rewrite <- Eq1, <- Eq2. destruct p as [? [? ?]]; reflexivity.
    + now apply colours_fit_iff.
    + apply border_met_iff; [|assumption]. apply (turned_sides t g v p It Hg). split; split; assumption.
Qed.
End Places.

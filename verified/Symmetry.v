(** * Symmetries of the puzzle, and their effect on solutions *)

From Coq Require Import List Bool ZArith Lia Permutation.
From PuzzleSat Require Import Statement Sets Covers Orbits.
Import ListNotations.
Open Scope Z_scope.

(** An act: a symmetry of the grid, a lattice vector, and an exchange of tiles. *)
Record act := { by_symmetry : symmetry; by_vector : point; exchanging : list nat }.

Definition goes (x : act) (a : atom) : atom := move (by_symmetry x) (by_vector x) a.
Definition mark_goes (x : act) (m : mark) : mark := (goes x (side m), goes x (face m), called m).
Definition image_of (x : act) (p : placement) : placement :=
  (nth (tile_of p) (exchanging x) 0%nat, (set_of (map (goes x) (covers p)), set_of (map (mark_goes x) (shows p)))).
Definition acted (image : placement -> placement) (S : list placement) : list placement := set_of (map image S).

Definition alike_sets {A} `{Order A} (f : A -> A) (l : list A) : bool := same (set_of (map f l)) (set_of l).

Definition range_same (r s : Z * option Z) : bool :=
  (fst r =? fst s) && match snd r, snd s with Some h, Some k => h =? k | None, None => true | _, _ => false end.
Definition high_same (h k : option Z) : bool :=
  match h, k with Some h, Some k => h =? k | None, None => true | _, _ => false end.
Definition same_copies_b (t u : tile) : bool :=
  (low t =? low u) && high_same (high t) (high u) &&
  (high_same (high t) (Some (low t)) ||
   forallb (fun r => Nat.eqb (length (filter (range_same r) (ranges t))) (length (filter (range_same r) (ranges u))))
     (ranges t ++ ranges u)).

Section Symmetry.
Variable P : puzzle.
Variable placements : list placement.
Variable known : placement -> bool.   (* whether a placement is among [placements] *)

(** All atoms of the form, of kept and coloured atoms, and of marks. *)
Definition universe : list atom :=
  set_of (required P ++ optional P ++ keep P ++ map fst (coloured P) ++
    flat_map (fun p => flat_map (fun m => [side m; face m]) (shows p)) placements).

Definition exchange_ok (e : list nat) : bool :=
  Nat.eqb (length e) (length (tiles P)) && forallb (fun n => member n e) (seq 0 (length (tiles P))) &&
  forallb (fun n => match nth_error (tiles P) n, nth_error (tiles P) (nth n e 0%nat) with
    | Some t, Some u => same_copies_b t u
    | _, _ => false
    end) (seq 0 (length (tiles P))).

(** All requirements on a symmetry of the puzzle, except that it keeps the rules. These requirements imply that it takes coverings to coverings. *)
Definition takes_coverings (x : act) : bool :=
  Nat.eqb (length (by_vector x)) (dimension P) &&
  (mirrored P || negb (mirror (matrix (by_symmetry x)))) &&
  alike_sets (goes x) (required P) && alike_sets (goes x) (optional P) && alike_sets (goes x) (keep P) &&
  alike_sets (fun ac => (goes x (fst ac), snd ac)) (coloured P) &&
  exchange_ok (exchanging x) &&
  forallb (fun p => known (image_of x p)) placements &&
  alike_sets (image_of x) (fixed P).

(** True if [z] equals [y] followed by [x] on some atoms; and true if it is the identity there. *)
Definition composed_on (atoms : list atom) (x y z : act) : bool :=
  forallb (fun a => same (goes z a) (goes x (goes y a))) atoms &&
  forallb (fun n => Nat.eqb (nth n (exchanging z) 0%nat) (nth (nth n (exchanging y) 0%nat) (exchanging x) 0%nat))
    (seq 0 (length (tiles P))).
Definition nothing_on (atoms : list atom) (x : act) : bool :=
  forallb (fun a => same (goes x a) a) atoms &&
  forallb (fun n => Nat.eqb (nth n (exchanging x) 0%nat) n) (seq 0 (length (tiles P))).
Definition undone_on (atoms : list atom) (x y : act) : bool :=
  forallb (fun a => same (goes y (goes x a)) a) atoms &&
  forallb (fun n => Nat.eqb (nth (nth n (exchanging x) 0%nat) (exchanging y) 0%nat) n) (seq 0 (length (tiles P))).
Definition composed : act -> act -> act -> bool := composed_on universe.
Definition nothing : act -> bool := nothing_on universe.
Definition undone : act -> act -> bool := undone_on universe.

(** True if the symmetries form a group. All atoms are gathered once, for there are many placements. *)
Definition is_group_on (atoms : list atom) (xs : list act) : bool :=
  existsb (nothing_on atoms) xs &&
  forallb (fun x => existsb (undone_on atoms x) xs && forallb (fun y => existsb (composed_on atoms x y) xs) xs) xs.
Definition is_group (xs : list act) : bool := is_group_on universe xs.

Hypothesis known_right : forall p, known p = true -> In p placements.
Hypothesis placements_iff : forall p, In p placements <-> is_placement P p.
Hypothesis bodies : forall t, In t (tiles P) -> body t <> [].

Lemma universe_form a : form P a -> In a universe.
Proof. intros [H|H]; apply set_of_In; rewrite !in_app_iff; auto. Qed.
Lemma universe_keep a : In a (keep P) -> In a universe.
Proof. intros H; apply set_of_In; rewrite !in_app_iff; auto. Qed.
Lemma universe_coloured a c : In (a, c) (coloured P) -> In a universe.
Proof. intros H. apply set_of_In. rewrite !in_app_iff. right. right. right. left. now apply (in_map fst) in H. Qed.
Lemma universe_marks p m : In p placements -> In m (shows p) -> In (side m) universe /\ In (face m) universe.
Proof.
  intros Hp Hm. split; apply set_of_In; rewrite !in_app_iff; do 4 right; apply in_flat_map; exists p; (split; [assumption|]);
    apply in_flat_map; exists m; cbn; auto.
Qed.
Lemma universe_covers p a : In p placements -> In a (covers p) -> In a universe.
Proof. intros Hp Ha. apply universe_form. apply placements_iff in Hp as (_ & F & _). auto. Qed.

Lemma tile_of_placement p : In p placements -> In (tile_of p) (seq 0 (length (tiles P))).
Proof.
  intros Hp. apply placements_iff in Hp as ((t & _ & _ & _ & E & _) & _). apply in_seq. split; [lia|]. cbn.
  apply nth_error_Some. congruence.
Qed.

Lemma covers_something p : In p placements -> exists a, In a (covers p).
Proof.
  intros Hp. apply placements_iff in Hp as ((t & n & g & v & E & _ & _ & _ & [[_ C] _]) & _).
  apply nth_error_In in E. specialize (bodies t E). destruct (body t) as [|b more]; [congruence|].
  exists (move g v b). apply C. exists b. split; [now left|reflexivity].
Qed.

(** ** Images of placements under the composition of acts *)

Lemma image_same x y z p : In p placements ->
  (forall a, In a universe -> goes z a = goes x (goes y a)) ->
  nth (tile_of p) (exchanging z) 0%nat = nth (nth (tile_of p) (exchanging y) 0%nat) (exchanging x) 0%nat ->
  image_of z p = image_of x (image_of y p).
Proof.
  intros Hp G E. unfold image_of at 1 2. cbn [tile_of covers shows fst snd]. f_equal; [exact E|]. f_equal.
  - apply set_of_same. intros a. rewrite !in_map_iff. split.
    + intros (b & <- & Hb). exists (goes y b). split; [symmetry; apply G; now apply universe_covers with p|].
      apply set_of_In. now apply in_map.
    + intros (b & <- & Hb). unfold image_of, covers in Hb; cbn [fst snd] in Hb. rewrite set_of_In, in_map_iff in Hb.
      destruct Hb as (c & <- & Hc). exists c. split; [|assumption]. apply G. now apply universe_covers with p.
  - assert (M : forall m, In m (shows p) -> mark_goes z m = mark_goes x (mark_goes y m)).
    { intros m Hm. destruct (universe_marks p m Hp Hm) as [H1 H2]. unfold mark_goes, side, face, called; cbn [fst snd].
      unfold side, face in H1, H2. now rewrite !G by assumption. }
    apply set_of_same. intros a. rewrite !in_map_iff. split.
    + intros (b & <- & Hb). exists (mark_goes y b). split; [symmetry; now apply M|].
      apply set_of_In. now apply in_map.
    + intros (b & <- & Hb). unfold image_of, shows in Hb; cbn [fst snd] in Hb. rewrite set_of_In, in_map_iff in Hb.
      destruct Hb as (c & <- & Hc). exists c. split; [|assumption]. now apply M.
Qed.

Lemma composed_image x y z p : composed x y z = true -> In p placements -> image_of z p = image_of x (image_of y p).
Proof.
  unfold composed, composed_on. rewrite andb_true_iff, !forallb_forall. intros [G E] Hp. apply image_same; [assumption| |].
  - intros a Ha. now apply same_iff, G.
  - now apply Nat.eqb_eq, E, tile_of_placement.
Qed.

Lemma placement_sets p : In p placements -> ascending (covers p) /\ ascending (shows p).
Proof. intros Hp. apply placements_iff in Hp as ((t & n & g & v & _ & _ & _ & _ & [[? _] [? _]]) & _). auto. Qed.

Lemma same_image x p : In p placements -> (forall a, In a universe -> goes x a = a) ->
  nth (tile_of p) (exchanging x) 0%nat = tile_of p -> image_of x p = p.
Proof.
  intros Hp G E. destruct (placement_sets p Hp) as [A B]. unfold image_of. rewrite E.
  transitivity (tile_of p, (covers p, shows p)); [|destruct p as [? [? ?]]; reflexivity]. f_equal. f_equal.
  - rewrite <- (set_of_id (covers p)) by assumption. f_equal. rewrite set_of_id by assumption.
    rewrite <- map_id. apply map_ext_in. intros a Ha. apply G. now apply universe_covers with p.
  - rewrite <- (set_of_id (shows p)) by assumption. f_equal. rewrite set_of_id by assumption.
    rewrite <- map_id. apply map_ext_in. intros m Hm. destruct (universe_marks p m Hp Hm) as [H1 H2].
    unfold mark_goes. rewrite !G by assumption. destruct m as [[? ?] ?]; reflexivity.
Qed.

Lemma nothing_image x p : nothing x = true -> In p placements -> image_of x p = p.
Proof.
  unfold nothing, nothing_on. rewrite andb_true_iff, !forallb_forall. intros [G E] Hp. apply same_image; [assumption| |].
  - intros a Ha. now apply same_iff, G.
  - now apply Nat.eqb_eq, E, tile_of_placement.
Qed.

Lemma undone_image x y p : undone x y = true -> In p placements -> image_of y (image_of x p) = p.
Proof.
  unfold undone, undone_on. rewrite andb_true_iff, !forallb_forall. intros [G E] Hp. destruct (placement_sets p Hp) as [A B].
  assert (G' : forall a, In a universe -> goes y (goes x a) = a) by (intros a Ha; now apply same_iff, G).
  assert (E' : nth (nth (tile_of p) (exchanging x) 0%nat) (exchanging y) 0%nat = tile_of p)
    by (now apply Nat.eqb_eq, E, tile_of_placement).
  transitivity (tile_of p, (covers p, shows p)); [|destruct p as [? [? ?]]; reflexivity].
  unfold image_of at 1. cbn [tile_of covers shows image_of fst snd]. fold (tile_of p) (covers p) (shows p). rewrite E'. f_equal. f_equal.
  - apply ascending_unique; [apply set_of_ascending|assumption|]. intros a. rewrite set_of_In, in_map_iff. split.
    + intros (b & <- & Hb). rewrite set_of_In, in_map_iff in Hb. destruct Hb as (c & <- & Hc).
      rewrite G'; [assumption|]. now apply universe_covers with p.
    + intros Ha. exists (goes x a). split; [apply G'; now apply universe_covers with p|]. apply set_of_In. now apply in_map.
  - assert (M : forall m, In m (shows p) -> mark_goes y (mark_goes x m) = m).
    { intros m Hm. destruct (universe_marks p m Hp Hm) as [H1 H2]. unfold mark_goes, side, face, called; cbn [fst snd].
      unfold side, face in H1, H2. rewrite !G' by assumption. destruct m as [[? ?] ?]; reflexivity. }
    apply ascending_unique; [apply set_of_ascending|assumption|]. intros a. rewrite set_of_In, in_map_iff. split.
    + intros (b & <- & Hb). rewrite set_of_In, in_map_iff in Hb. destruct Hb as (c & <- & Hc). now rewrite M.
    + intros Ha. exists (mark_goes x a). split; [now apply M|]. apply set_of_In. now apply in_map.
Qed.

(** ** A symmetry as stated *)

Lemma alike_sets_iff {A} `{Lawful A} (f : A -> A) (l : list A) : alike_sets f l = true ->
  forall a, In a l <-> exists b, In b l /\ a = f b.
Proof.
  unfold alike_sets. rewrite same_iff. intros E a. rewrite <- (set_of_In a l), <- E, set_of_In, in_map_iff.
  split; intros (b & ? & ?); exists b; auto.
Qed.

Lemma high_same_iff h k : high_same h k = true <-> h = k.
Proof. destruct h, k; cbn; try rewrite Z.eqb_eq; split; congruence. Qed.
Lemma range_same_iff r s : range_same r s = true <-> r = s.
Proof.
  unfold range_same. change (match snd r, snd s with Some h, Some k => h =? k | None, None => true | _, _ => false end)
    with (high_same (snd r) (snd s)). rewrite andb_true_iff, Z.eqb_eq, high_same_iff. destruct r, s; cbn [fst snd].
  split; [intros [-> ->]; reflexivity|intros [= -> ->]; auto].
Qed.

Lemma same_copies_iff t u : same_copies_b t u = true -> same_copies t u.
Proof.
  unfold same_copies_b, same_copies. rewrite !andb_true_iff, orb_true_iff, Z.eqb_eq, !high_same_iff, forallb_forall.
  intros [[L H] R]. split; [assumption|]. split; [assumption|]. destruct R as [R|R]; [now left|right].
  assert (D : forall r s : Z * option Z, {r = s} + {r <> s}).
  { intros r s. destruct (range_same r s) eqn:E; [left; now apply range_same_iff|right].
    intros F. apply range_same_iff in F. congruence. }
  apply (Permutation_count_occ D). intros r.
  assert (C : forall l, count_occ D l r = length (filter (range_same r) l)).
  { induction l as [|s l IH]; [reflexivity|]. cbn. destruct (D s r) as [->|N].
    - rewrite (proj2 (range_same_iff r r) eq_refl). cbn. now rewrite IH.
    - destruct (range_same r s) eqn:E; [|assumption]. apply range_same_iff in E. congruence. }
  rewrite !C. destruct (in_dec D r (ranges t ++ ranges u)) as [I|I]; [now apply Nat.eqb_eq, R|].
  rewrite <- !C. rewrite in_app_iff in I. rewrite !(proj1 (count_occ_not_In D _ _)); [reflexivity|tauto|tauto].
Qed.

Lemma exchange_ok_spec e : exchange_ok e = true -> NoDup e /\ length e = length (tiles P) /\
  forall n m, nth_error e n = Some m -> exists t u, nth_error (tiles P) n = Some t /\
    nth_error (tiles P) m = Some u /\ same_copies t u.
Proof.
  unfold exchange_ok. rewrite !andb_true_iff, Nat.eqb_eq, !forallb_forall. intros [[L S] E].
  split; [|split; [assumption|]].
  - apply NoDup_incl_NoDup with (l := seq 0 (length (tiles P))).
    + apply seq_NoDup.
    + rewrite seq_length. lia.
    + intros n Hn. now apply member_iff, S.
  - intros n m En. assert (Hn : (n < length (tiles P))%nat). { rewrite <- L. apply nth_error_Some. congruence. }
    specialize (E n). rewrite in_seq in E. specialize (E ltac:(lia)). rewrite (nth_error_nth e n 0%nat En) in E.
    destruct (nth_error (tiles P) n) as [t|]; [|discriminate]. destruct (nth_error (tiles P) m) as [u|]; [|discriminate].
    exists t, u. repeat (split; [reflexivity|]). now apply same_copies_iff.
Qed.

Lemma image_becomes x p : In p placements -> length (exchanging x) = length (tiles P) ->
  becomes (by_symmetry x) (by_vector x) (exchanging x) p (image_of x p).
Proof.
  intros Hp L. split; [|split].
  - unfold image_of, tile_of at 2; cbn [fst]. apply nth_error_nth'. rewrite L.
    apply tile_of_placement, in_seq in Hp. lia.
  - apply is_set_set_of. intros a. rewrite in_map_iff. split; intros (b & ? & ?); exists b; auto.
  - apply is_set_set_of. intros a. rewrite in_map_iff. split; intros (b & ? & ?); exists b; auto.
Qed.

Lemma becomes_image x p q : In p placements -> length (exchanging x) = length (tiles P) ->
  becomes (by_symmetry x) (by_vector x) (exchanging x) p q -> q = image_of x p.
Proof.
  intros Hp L (T & C & M). destruct (image_becomes x p Hp L) as (T' & C' & M').
  assert (E1 : tile_of q = tile_of (image_of x p)) by congruence.
  pose proof (is_set_unique _ _ _ C C') as E2. pose proof (is_set_unique _ _ _ M M') as E3.
  clear - E1 E2 E3. destruct q as [n [c s]], (image_of x p) as [n' [c' s']].
  unfold tile_of, covers, shows in *; cbn [fst snd] in *. congruence.
Qed.

Lemma acted_become x S : (forall p, In p S -> In p placements) -> length (exchanging x) = length (tiles P) ->
  become (by_symmetry x) (by_vector x) (exchanging x) S (acted (image_of x) S).
Proof.
  intros K L. apply is_set_set_of. intros q. rewrite in_map_iff. split.
  - intros (p & <- & Hp). exists p. split; [assumption|]. now apply image_becomes; [apply K|].
  - intros (p & Hp & B). exists p. split; [|assumption]. symmetry. now apply becomes_image; [apply K| |].
Qed.

Lemma become_acted x S T : (forall p, In p S -> In p placements) -> length (exchanging x) = length (tiles P) ->
  become (by_symmetry x) (by_vector x) (exchanging x) S T -> T = acted (image_of x) S.
Proof. intros K L B. exact (is_set_unique _ _ _ B (acted_become x S K L)). Qed.

(** An act with an inverse maps different atoms to different atoms. *)
Definition injective (x : act) : Prop := forall a b, In a universe -> In b universe -> goes x a = goes x b -> a = b.

Lemma undone_injective x y : undone x y = true -> injective x.
Proof.
  unfold undone, undone_on. rewrite andb_true_iff, !forallb_forall. intros [G _] a b Ha Hb E.
  apply G, same_iff in Ha, Hb. congruence.
Qed.

Theorem is_symmetry_sound x : In (by_symmetry x) (symmetries P) -> injective x -> (forall p, In p (fixed P) -> In p placements) ->
  takes_coverings x = true -> (forall S, covering P S -> (keeps_all P S <-> keeps_all P (acted (image_of x) S))) ->
  puzzle_symmetry P (by_symmetry x) (by_vector x) (exchanging x).
Proof.
  intros Hg Inj Fx Sy Ru. revert Sy. unfold takes_coverings. rewrite !andb_true_iff, !forallb_forall, Nat.eqb_eq.
  intros ((((((((L & Mi) & Re) & Op) & Ke) & Co) & Ex) & Pl) & Fi). split.
  - auto.
  - apply orb_true_iff in Mi as [|Mi]; [now left|right]. now apply negb_true_iff.
  - intros l [<-|[<-|[<-|[]]]]; now apply alike_sets_iff.
  - intros a c Ha. pose proof (alike_sets_iff _ _ Co) as A. split.
    + intros H. apply A. exists (a, c). auto.
    + intros H. apply A in H as ([b c'] & Hb & E0). cbn [fst snd] in *.
      pose proof (f_equal fst E0 : goes x a = goes x b) as E. pose proof (f_equal snd E0 : c = c') as ->.
      replace a with b; [assumption|]. symmetry. apply Inj; [now apply universe_form|now apply universe_coloured with c'|exact E].
  - now apply exchange_ok_spec.
  - intros p Hp. apply placements_iff in Hp. exists (image_of x p). split.
    + apply image_becomes; [assumption|]. now apply exchange_ok_spec.
    + now apply placements_iff, known_right, Pl.
  - assert (Le : length (exchanging x) = length (tiles P)) by now apply exchange_ok_spec.
    intros q. rewrite (alike_sets_iff _ _ Fi q). split; intros (p & Hp & B); exists p; (split; [assumption|]).
    + subst q. apply image_becomes; auto.
    + apply becomes_image; auto.
  - intros S T HS HT. rewrite (become_acted x S T); [now apply Ru| |now apply exchange_ok_spec|assumption].
    intros p Hp. now apply placements_iff, (of_placements P S HS).
Qed.

(** ** Coverings go to coverings *)

Lemma NoDup_map_in {A B} (f : A -> B) l : NoDup l -> (forall x y, In x l -> In y l -> f x = f y -> x = y) -> NoDup (map f l).
Proof.
  induction 1 as [|x l Hx N IH]; intros E; cbn; [constructor|]. constructor.
  - rewrite in_map_iff. intros (y & Ey & Hy). apply Hx. rewrite <- (E y x); cbn; auto.
  - apply IH. intros y z Hy Hz. apply E; now right.
Qed.

Lemma Permutation_set_of {A} `{Lawful A} (l : list A) : NoDup l -> Permutation (set_of l) l.
Proof.
  intros N. apply NoDup_Permutation; [apply ascending_NoDup, set_of_ascending|assumption|]. intros x. apply set_of_In.
Qed.

Lemma sum_Permutation l m : Permutation l m -> sum l = sum m.
Proof. unfold sum. induction 1; cbn [fold_right]; lia. Qed.

Section Acting.
Variable x : act.
Hypothesis sym : takes_coverings x = true.
Hypothesis inj : injective x.
Hypothesis fixed_known : forall p, In p (fixed P) -> In p placements.

Lemma image_known p : In p placements -> In (image_of x p) placements.
Proof. unfold takes_coverings in sym. rewrite !andb_true_iff, !forallb_forall in sym. intros Hp. now apply known_right, sym. Qed.

Lemma image_covers p b : In b (covers (image_of x p)) <-> exists a, In a (covers p) /\ b = goes x a.
Proof. unfold image_of, covers; cbn [fst snd]. rewrite set_of_In, in_map_iff. split; intros (a & ? & ?); exists a; auto. Qed.
Lemma image_shows p m : In m (shows (image_of x p)) <-> exists n, In n (shows p) /\ m = mark_goes x n.
Proof. unfold image_of, shows; cbn [fst snd]. rewrite set_of_In, in_map_iff. split; intros (a & ? & ?); exists a; auto. Qed.

Lemma exchanged : exchange_ok (exchanging x) = true.
Proof. unfold takes_coverings in sym. rewrite !andb_true_iff in sym. tauto. Qed.

Lemma covering_known S p : covering P S -> In p S -> In p placements.
Proof. intros HS Hp. now apply placements_iff, (of_placements P S HS). Qed.

Lemma images_differ S p q : covering P S -> In p S -> In q S -> image_of x p = image_of x q -> p = q.
Proof.
  intros HS Hp Hq E. pose proof (covering_known S p HS Hp) as Kp. pose proof (covering_known S q HS Hq) as Kq.
  destruct (covers_something p Kp) as (a & Ha).
  assert (H : In (goes x a) (covers (image_of x q))). { rewrite <- E. apply image_covers. eauto. }
  apply image_covers in H as (b & Hb & Eb).
  assert (a = b) as -> by (apply inj; [now apply universe_covers with p|now apply universe_covers with q|assumption]).
  now apply (disjoint P S HS p q b).
Qed.

Lemma images_permuted S : covering P S -> Permutation (acted (image_of x) S) (map (image_of x) S).
Proof.
  intros HS. apply Permutation_set_of, NoDup_map_in; [apply ascending_NoDup, (a_set P S HS)|].
  intros p q. now apply images_differ.
Qed.

Lemma image_copies S n m : covering P S -> nth_error (exchanging x) n = Some m ->
  copies m (acted (image_of x) S) = copies n S.
Proof.
  intros HS E. unfold copies. f_equal.
  assert (G : forall l k, Permutation l k -> length (filter (fun p => Nat.eqb (tile_of p) m) l) =
    length (filter (fun p => Nat.eqb (tile_of p) m) k)).
  { clear. induction 1; cbn; repeat match goal with |- context [Nat.eqb ?a m] => destruct (Nat.eqb a m) end; cbn; congruence. }
  rewrite (G _ _ (images_permuted S HS)).
  assert (K : forall p, In p S -> In p placements) by (intros p; now apply covering_known).
  destruct (exchange_ok_spec _ exchanged) as (N & L & _). clear HS. induction S as [|p S IH]; [reflexivity|]. cbn [map filter].
  assert (Hp : In p placements) by (apply K; now left).
  assert (Et : Nat.eqb (tile_of (image_of x p)) m = Nat.eqb (tile_of p) n).
  { destruct (image_becomes x p Hp L) as (T & _). apply eq_iff_eq_true. rewrite !Nat.eqb_eq. split.
    - intros <-. apply (proj1 (NoDup_nth_error (exchanging x)) N); [|congruence]. rewrite L. apply tile_of_placement, in_seq in Hp. lia.
    - intros <-. rewrite E in T. congruence. }
  rewrite Et. destruct (Nat.eqb (tile_of p) n); cbn [length]; rewrite IH; auto; intros q Hq; apply K; now right.
Qed.

Theorem acted_covering S : covering P S -> covering P (acted (image_of x) S).
Proof.
  intros HS. unfold acted.
  assert (I : forall q, In q (set_of (map (image_of x) S)) <-> exists p, In p S /\ q = image_of x p).
  { intros q. rewrite set_of_In, in_map_iff. split; intros (a & ? & ?); exists a; auto. }
  pose proof sym as sym'. unfold takes_coverings in sym'. rewrite !andb_true_iff, !forallb_forall in sym'.
  destruct sym' as ((((((((L & Mi) & Re) & Op) & Ke) & Co) & Ex) & Pl) & Fi). split.
  - apply set_of_ascending.
  - intros q Hq. apply I in Hq as (p & Hp & ->). now apply placements_iff, image_known, covering_known with S.
  - intros p q a Hp Hq Ha Hb. apply I in Hp as (p' & Hp & ->), Hq as (q' & Hq & ->).
    apply image_covers in Ha as (b & Hb' & ->), Hb as (c & Hc & E). f_equal.
    assert (b = c) as -> by (apply inj; [apply universe_covers with p'|apply universe_covers with q'|assumption];
      try assumption; now apply covering_known with S).
    now apply (disjoint P S HS p' q' c).
  - intros a Ha. apply (alike_sets_iff _ _ Re) in Ha as (b & Hb & ->).
    destruct (covered P S HS b Hb) as (p & Hp & Hpb). exists (image_of x p). split; [apply I; eauto|]. apply image_covers. eauto.
  - intros m u Eu. destruct (exchange_ok_spec _ Ex) as (N & Le & W).
    assert (Hm : In m (exchanging x)).
    { unfold exchange_ok in Ex. rewrite !andb_true_iff, !forallb_forall in Ex. destruct Ex as [[_ Su] _].
      apply member_iff, Su, in_seq. split; [lia|]. cbn. apply nth_error_Some. congruence. }
    apply In_nth_error in Hm as (n & En). destruct (W n m En) as (t & u' & Et & Eu' & (S1 & S2 & _)).
    rewrite Eu in Eu'. injection Eu' as <-. pose proof (image_copies S n m HS En) as C. unfold acted in C. rewrite C.
    rewrite <- S1, <- S2. now apply (kept_copies P S HS n t).
  - intros p q m n Hp Hq D Hm Hn E1 E2 E3 E4. apply I in Hp as (p' & Hp & ->), Hq as (q' & Hq & ->).
    apply image_shows in Hm as (m' & Hm & ->), Hn as (n' & Hn & ->). unfold mark_goes, side, face, called in *; cbn [fst snd] in *.
    fold (side m') (side n') (face m') (face n') (called m') (called n') in *.
    apply (mating P S HS p' q' m' n'); try assumption; try congruence.
    apply inj; [apply (universe_marks p')|apply (universe_marks q')|]; try assumption; now apply covering_known with S.
  - intros p Hp. apply (alike_sets_iff _ _ Fi) in Hp as (q & Hq & ->). apply I. exists q. split; [|reflexivity].
    now apply (has_fixed P S HS).
Qed.
End Acting.
End Symmetry.

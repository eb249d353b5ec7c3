(** * The solutions of a puzzle are the covers of a problem

    Options are the placements; items are the atoms of the form and the tiles. *)

From Coq Require Import List Bool ZArith Lia.
From PuzzleSat Require Import Statement Sets Cover.
Import ListNotations.
Open Scope Z_scope.

Inductive item := Required (a : atom) | Optional (a : atom) | Tile (n : nat).

(** True if two placements show marks that must not meet. *)
Definition may_be_beside (P : puzzle) (m n : mark) : bool :=
  existsb (fun k => same (fst k) (called m) && match snd k with Some c => c =? called n | None => false end) (mates P).
Definition marks_clash (P : puzzle) (m n : mark) : bool :=
  same (side m) (side n) && negb (same (side m) (face m)) && negb (same (side n) (face n)) &&
  negb (same (face m) (face n)) && negb (may_be_beside P m n).
Definition placements_clash (P : puzzle) (p q : placement) : bool :=
  existsb (fun m => existsb (marks_clash P m) (shows q)) (shows p).

Definition tile_low (P : puzzle) (n : nat) : Z := match nth_error (tiles P) n with Some t => low t | None => 0 end.
Definition tile_high (P : puzzle) (n : nat) : option Z := match nth_error (tiles P) n with Some t => high t | None => Some 0 end.

(** True if an atom is covered. This test runs so often that it does not use the order of atoms. *)
Fixpoint same_point (v w : point) : bool :=
  match v, w with [], [] => true | x :: v, y :: w => (x =? y) && same_point v w | _, _ => false end.
Definition same_atom (a b : atom) : bool := Nat.eqb (snd a) (snd b) && same_point (fst a) (fst b).
Fixpoint covers_atom (a : atom) (l : list atom) : bool :=
  match l with [] => false | b :: l => same_atom a b || covers_atom a l end.

Lemma same_point_iff v : forall w, same_point v w = true <-> v = w.
Proof.
  induction v as [|x v IH]; intros [|y w]; cbn [same_point]; try (split; (reflexivity || discriminate)).
  rewrite andb_true_iff, Z.eqb_eq, IH. split; [intros [-> ->]; reflexivity|intros [= -> ->]; auto].
Qed.

Lemma covers_atom_is a l : covers_atom a l = member a l.
Proof.
  unfold member. induction l as [|b l IH]; [reflexivity|]. cbn [covers_atom existsb]. rewrite IH. f_equal.
  apply eq_iff_eq_true. rewrite same_iff. unfold same_atom. rewrite andb_true_iff, Nat.eqb_eq, same_point_iff.
  destruct a, b. cbn [fst snd]. split; [intros [-> ->]; reflexivity|intros [= -> ->]; auto].
Qed.

Definition covers_item (p : placement) (i : item) : bool :=
  match i with
  | Required a | Optional a => covers_atom a (covers p)
  | Tile n => Nat.eqb (tile_of p) n
  end.

Definition all_items (P : puzzle) : list item :=
  map Required (required P) ++ map Optional (optional P) ++ map Tile (seq 0 (length (tiles P))).

Definition problem_of (P : puzzle) (placements : list placement) : problem placement item := {|
  options := placements;
  items := all_items P;
  has := covers_item;
  fewest i := match i with Required _ => 1 | Optional _ => 0 | Tile n => tile_low P n end;
  greatest i := match i with Required _ | Optional _ => Some 1 | Tile n => tile_high P n end;
  clash := placements_clash P;
|}.

Definition keeps_b (r : rule) (S : list placement) : bool :=
  let total := sum (map (weight r) S) in
  if modulus r =? 0 then (least r <=? total) && (total <=? most r) else (total - residue r) mod modulus r =? 0.

Lemma keeps_iff r S : keeps_b r S = true <-> keeps r S.
Proof.
  unfold keeps_b, keeps. destruct (modulus r =? 0); [rewrite andb_true_iff, !Z.leb_le; tauto|apply Z.eqb_eq].
Qed.

Definition keeps_rules (P : puzzle) (S : list placement) : bool := forallb (fun r => keeps_b r S) (rules P).

Lemma keeps_rules_iff P S : keeps_rules P S = true <-> keeps_all P S.
Proof. unfold keeps_rules, keeps_all. rewrite forallb_forall. split; intros H r Hr; now apply keeps_iff, H. Qed.

Section Covers.
Variable P : puzzle.
Variable placements : list placement.
Hypothesis placements_iff : forall p, In p placements <-> is_placement P p.
Let pr := problem_of P placements.

Lemma may_be_beside_iff m n : may_be_beside P m n = true <-> In (called m, Some (called n)) (mates P).
Proof.
  unfold may_be_beside. rewrite existsb_exists. split.
  - intros ([k [c|]] & Hk & E); cbn [fst snd] in E; apply andb_true_iff in E as [E1 E2]; [|discriminate].
    apply same_iff in E1 as ->. apply Z.eqb_eq in E2 as ->. assumption.
  - intros Hk. eexists. split; [exact Hk|]. cbn [fst snd]. apply andb_true_iff. split; [now apply same_iff|apply Z.eqb_refl].
Qed.

Lemma differ {A} `{Lawful A} (x y : A) : negb (same x y) = true <-> x <> y.
Proof. rewrite negb_true_iff, <- not_true_iff_false, same_iff. reflexivity. Qed.

Lemma marks_clash_iff m n : marks_clash P m n = true <->
  side m = side n /\ side m <> face m /\ side n <> face n /\ face m <> face n /\ ~ In (called m, Some (called n)) (mates P).
Proof.
  unfold marks_clash. rewrite !andb_true_iff, same_iff, !differ, negb_true_iff, <- not_true_iff_false, may_be_beside_iff. tauto.
Qed.

Lemma placements_clash_iff p q : placements_clash P p q = true <->
  exists m n, In m (shows p) /\ In n (shows q) /\ marks_clash P m n = true.
Proof.
  unfold placements_clash. rewrite existsb_exists. split.
  - intros (m & Hm & E). apply existsb_exists in E as (n & Hn & E). eauto.
  - intros (m & n & Hm & Hn & E). exists m. split; [assumption|]. apply existsb_exists. eauto.
Qed.

Lemma item_atom a : form P a -> exists i, In i (items pr) /\ greatest pr i = Some 1 /\ forall p, has pr p i = member a (covers p).
Proof.
  intros [H|H]; [exists (Required a)|exists (Optional a)]; (split; [|split; [reflexivity|intros p; apply covers_atom_is]]); cbn; unfold all_items;
    rewrite !in_app_iff; [left|right; left]; now apply in_map.
Qed.

Lemma item_tile n t : nth_error (tiles P) n = Some t -> In (Tile n) (items pr).
Proof.
  intros E. cbn. unfold all_items. rewrite !in_app_iff. right. right. apply in_map, in_seq.
  split; [lia|]. cbn. apply nth_error_Some. congruence.
Qed.

Lemma uses_tile n S : uses pr (Tile n) S = copies n S.
Proof. reflexivity. Qed.

(** An atom that only one placement covers is covered at most once. *)
Lemma at_most_one {A} (l : list A) : NoDup l -> (forall x y, In x l -> In y l -> x = y) -> (length l <= 1)%nat.
Proof.
  intros N E. destruct l as [|x [|y l]]; cbn; try lia. exfalso. inversion N as [|? ? H _]; subst. apply H.
  rewrite (E x y); cbn; auto.
Qed.

Theorem covering_iff S : ascending S -> (cover pr S /\ forall p, In p (fixed P) -> In p S) <-> covering P S.
Proof.
  intros As. split.
  - intros ([N O A C] & Fi).
    assert (HC : cover pr S) by (split; assumption).
    split.
    + assumption.
    + intros p Hp. now apply placements_iff, O.
    + intros p q a Hp Hq Ha Hb. destruct (equal_dec p q) as [|D]; [assumption|]. exfalso.
      assert (F : form P a) by (apply (proj2 (proj1 (placements_iff p) (O p Hp))); assumption).
      destruct (item_atom a F) as (i & Hi & G & M).
      apply (full_incompatible pr i p q Hi G D) with S; try assumption; rewrite M; now apply member_iff.
    + intros a Ha. destruct (A (Required a)) as [L _].
      { cbn. unfold all_items. rewrite !in_app_iff. left. now apply in_map. }
      cbn in L. unfold uses in L. destruct (filter _ S) as [|p l] eqn:E; [cbn in L; lia|].
      exists p. assert (Hp : In p (p :: l)) by now left. rewrite <- E in Hp. apply filter_In in Hp as [Hp M].
      split; [assumption|]. apply member_iff. rewrite <- covers_atom_is. exact M.
    + intros n t E. destruct (A (Tile n) (item_tile n t E)) as [L H]. rewrite uses_tile in L, H.
      cbn in L, H. unfold tile_low in L. unfold tile_high in H. rewrite E in L, H. auto.
    + intros p q m n Hp Hq D Hm Hn E1 E2 E3 E4. specialize (C p q Hp Hq D). cbn in C.
      apply may_be_beside_iff. destruct (may_be_beside P m n) eqn:E5; [reflexivity|]. exfalso.
      rewrite <- not_true_iff_false in C. apply C, placements_clash_iff. exists m, n. split; [assumption|]. split; [assumption|].
      apply marks_clash_iff. rewrite <- may_be_beside_iff. rewrite E5. repeat (split; [assumption|]). discriminate.
    + assumption.
  - intros [_ O D Co K M Fi]. split; [|assumption].
    + assert (N : NoDup S) by now apply ascending_NoDup.
      assert (One : forall a i, (forall p, has pr p i = member a (covers p)) -> uses pr i S <= 1).
      { intros a i Hi. unfold uses. assert (length (filter (fun o => has pr o i) S) <= 1)%nat; [|lia].
        apply at_most_one; [now apply NoDup_filter|]. intros p q Hp Hq.
        apply filter_In in Hp as [Hp Ep], Hq as [Hq Eq]. rewrite Hi in Ep, Eq. apply member_iff in Ep, Eq. now apply (D p q a). }
      split.
      * assumption.
      * intros p Hp. now apply placements_iff, O.
      * intros i Hi. cbn in Hi. unfold all_items in Hi. rewrite !in_app_iff, !in_map_iff in Hi.
        destruct Hi as [(a & <- & Ha)|[(a & <- & Ha)|(n & <- & Hn)]]; cbn [fewest greatest pr problem_of within].
        -- split; [|apply (One a); intros; apply covers_atom_is]. destruct (Co a Ha) as (p & Hp & Hpa).
           assert (uses pr (Required a) [p] <= uses pr (Required a) S).
           { apply uses_incl; [repeat constructor; auto|]. intros q [<-|[]] _. assumption. }
           unfold uses at 1 in H. cbn [filter] in H. change (has pr p (Required a)) with (covers_atom a (covers p)) in H. rewrite covers_atom_is in H.
           rewrite (proj2 (member_iff a (covers p)) Hpa) in H. cbn in H. lia.
        -- split; [|apply (One a); intros; apply covers_atom_is]. unfold uses. lia.
        -- rewrite uses_tile. unfold tile_low, tile_high. apply in_seq in Hn as [_ Hn]. cbn in Hn.
           destruct (nth_error (tiles P) n) as [t|] eqn:E; [now apply K|]. apply nth_error_None in E. lia.
      * intros p q Hp Hq Dpq. cbn. rewrite <- not_true_iff_false, placements_clash_iff. intros (m & n & Hm & Hn & E).
        apply marks_clash_iff in E as (E1 & E2 & E3 & E4 & E5). apply E5. now apply (M p q).
Qed.

Theorem solution_iff S : ascending S ->
  (cover pr S /\ (forall p, In p (fixed P) -> In p S) /\ keeps_rules P S = true) <-> solution P S.
Proof.
  intros As. rewrite keeps_rules_iff. split.
  - intros (C & Fi & Ru). split; [now apply covering_iff|assumption].
  - intros [C Ru]. apply covering_iff in C as [C Fi]; [|assumption]. auto.
Qed.
End Covers.

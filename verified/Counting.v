(** * Counting solutions while they are found

    No solution is stored. Placements have codes, and the codes of the images of each placement under all acts are computed once. Lists
    of codes then give the image of a solution under an act, and tell whether the solution is the least of its orbit. *)

From Coq Require Import List Bool ZArith Lia Permutation Uint63.
From PuzzleSat Require Import Statement Sets Symmetry Orbits.
Import ListNotations.
Open Scope Z_scope.

Global Instance order_int : Order int := fun a b => if (a =? b)%uint63 then Eq else if (a <=? b)%uint63 then Lt else Gt.

Lemma compare_int a b : compare a b = Z.compare (to_Z a) (to_Z b).
Proof.
  unfold compare, order_int. destruct (a =? b)%uint63 eqn:E.
  - apply eqb_spec in E as ->. now rewrite Z.compare_refl.
  - assert (D : to_Z a <> to_Z b). { intros F. apply to_Z_inj in F as ->. now rewrite eqb_refl in E. }
    destruct (a <=? b)%uint63 eqn:L; symmetry.
    + apply leb_spec in L. apply Z.compare_lt_iff. lia.
    + apply Z.compare_gt_iff. destruct (Z.le_gt_cases (to_Z a) (to_Z b)) as [X|]; [|assumption]. apply leb_spec in X. congruence.
Qed.

Global Instance lawful_int : Lawful int.
Proof.
  split; intros; rewrite ?compare_int in *.
  - rewrite Z.compare_eq_iff. split; [apply to_Z_inj|congruence].
  - apply Z.compare_antisym.
  - rewrite Z.compare_lt_iff in *. lia.
Qed.

(** ** Sums as they grow *)

(** The counts so far, and the acts that no solution has refuted yet. *)
Record counts := { count_found : Z; count_all : Z; count_labelled : Z; count_distinct : Z; unrefuted : list act }.
Definition none_yet (suspects : list act) : counts :=
  {| count_found := 0; count_all := 0; count_labelled := 0; count_distinct := 0; unrefuted := suspects |}.

Section Growing.
Context {A : Type}.
Variables (good chosen : A -> bool) (size ways : A -> Z) (refutes : A -> act -> bool).

Definition not_refuted (x : A) (suspects : list act) : list act := filter (fun d => negb (refutes x d)) suspects.

Definition counted (x : A) (T : counts) : counts :=
  if good x then
    let left := not_refuted x (unrefuted T) in
    if chosen x then
      let n := size x in
      {| count_found := Z.succ (count_found T); count_all := count_all T + n; count_labelled := count_labelled T + n * ways x;
         count_distinct := Z.succ (count_distinct T); unrefuted := left |}
    else {| count_found := Z.succ (count_found T); count_all := count_all T; count_labelled := count_labelled T;
            count_distinct := count_distinct T; unrefuted := left |}
  else T.

Lemma counted_sums D : forall T, let chosen_ones := filter chosen (filter good D) in
  fold_left (fun T x => counted x T) D T = {|
    count_found := count_found T + Z.of_nat (length (filter good D));
    count_all := count_all T + sum (map size chosen_ones);
    count_labelled := count_labelled T + sum (map (fun x => size x * ways x) chosen_ones);
    count_distinct := count_distinct T + Z.of_nat (length chosen_ones);
    unrefuted := fold_left (fun l x => not_refuted x l) (filter good D) (unrefuted T) |}.
Proof.
  induction D as [|x D IH]; intros T; cbn [fold_left filter].
  - destruct T. cbn. now rewrite !Z.add_0_r.
  - rewrite IH. unfold counted. destruct (good x); [|reflexivity]. cbn [filter fold_left].
    destruct (chosen x); cbn [count_found count_all count_labelled count_distinct unrefuted length map sum fold_right]; unfold sum;
      f_equal; lia.
Qed.

Lemma refuted_by_one l : forall suspects d, In d suspects -> ~ In d (fold_left (fun l x => not_refuted x l) l suspects) ->
  exists x, In x l /\ refutes x d = true.
Proof.
  induction l as [|x l IH]; intros suspects d Hd N; cbn [fold_left] in N; [contradiction|].
  destruct (refutes x d) eqn:E; [exists x; split; [now left|assumption]|].
  destruct (IH (not_refuted x suspects) d) as (y & Hy & R); [apply filter_In; now rewrite E|assumption|].
  exists y. split; [now right|assumption].
Qed.
End Growing.

(** ** The first of a list, without sorting it *)

Section First.
Context {A : Type} {OA : Order A} {LA : Lawful A}.

Definition first_of (d : A) (l : list A) : A :=
  match l with [] => d | x :: l => fold_left (fun m y => match compare y m with Lt => y | _ => m end) l x end.

Lemma first_of_set d l : first_of d l = hd d (set_of l).
Proof.
  destruct l as [|x l]; [reflexivity|]. cbn [first_of].
  assert (G : forall l x, let m := fold_left (fun m y => match compare y m with Lt => y | _ => m end) l x in
    (m = x \/ In m l) /\ compare x m <> Lt /\ forall y, In y l -> compare y m <> Lt).
  { clear - LA. induction l as [|y l IH]; intros x; cbn [fold_left In].
    - split; [now left|]. split; [now rewrite compare_refl|intros y []].
    - destruct (IH (match compare y x with Lt => y | _ => x end)) as (A1 & B1 & C1). cbv zeta in *.
      set (m := fold_left _ l _) in *. destruct (compare y x) eqn:E.
      + apply compare_eq in E as ->. split; [tauto|]. split; [assumption|]. intros z [<-|Hz]; auto.
      + split; [destruct A1; auto|]. split.
        * intros L. apply B1. now apply compare_lt with x.
        * intros z [<-|Hz]; auto.
      + split; [tauto|]. split; [assumption|]. intros z [<-|Hz]; [|auto]. intros L. apply B1.
        apply compare_lt with y; [|assumption]. now rewrite compare_opp, E. }
  destruct (G l x) as (A1 & B1 & C1). cbv zeta in *. set (m := fold_left _ l x) in *. clearbody m.
  assert (Hm : In m (set_of (x :: l))) by (apply set_of_In; destruct A1 as [->|]; [now left|now right]).
  pose proof (set_of_ascending (x :: l)) as As. destruct (set_of (x :: l)) as [|k s] eqn:E; [destruct Hm|]. cbn [hd].
  destruct Hm as [|Hm]; [congruence|]. exfalso. inversion As as [|? ? _ Lt1]; subst. rewrite Forall_forall in Lt1.
  specialize (Lt1 m Hm). cbv beta in Lt1. assert (Hk : In k (x :: l)) by (apply set_of_In; rewrite E; now left).
  destruct Hk as [<-|Hk]; [contradiction|]. now apply (C1 k Hk).
Qed.

(** Sets are compared by their first members; whole sets are built only if these are equal. *)
Definition set_before (d : A) (l m : list A) (m_first : A) : bool :=
  match compare (first_of d l) m_first with Lt => true | Gt => false | Eq => before (set_of l) (set_of m) end.

Lemma set_before_is d l m : length l = length m -> set_before d l m (first_of d m) = before (set_of l) (set_of m).
Proof.
  intros L. unfold set_before. rewrite !first_of_set.
  assert (E : set_of l = [] <-> set_of m = []).
  { assert (N : forall k : list A, set_of k = [] <-> k = []).
    { intros k. split; [|now intros ->]. intros E. destruct k as [|x k]; [reflexivity|]. exfalso.
      assert (H : In x (set_of (x :: k))) by (apply set_of_In; now left). rewrite E in H. destruct H. }
    rewrite !N. destruct l, m; try discriminate L; split; congruence. }
  destruct (set_of l) as [|x l'], (set_of m) as [|y m']; try (destruct E as [E1 E2]; (discriminate E1 || discriminate E2); reflexivity).
  - cbn [hd]. now rewrite compare_refl.
  - cbn [hd]. unfold before. cbn. destruct (compare x y); reflexivity.
Qed.
End First.

(** ** Images of a solution, column by column

    Each placement of a solution has a list with its image under each act; an image is a code, with a flag that tells whether it is allowed. *)

Definition image := (int * bool)%type.

Section Columns.
Context {X B : Type}.

Definition column (images : list (list image)) : list image := map (hd (0%uint63, true)) images.

Fixpoint none_before (acts : list X) (images : list (list image)) (own : list int) (own_first : int) : bool :=
  match acts with
  | [] => true
  | _ :: acts =>
    let c := column images in
    negb (forallb snd c && set_before 0%uint63 (map fst c) own own_first) && none_before acts (map (@tl image) images) own own_first
  end.

Fixpoint all_keys (acts : list X) (images : list (list image)) : list (list int) :=
  match acts with
  | [] => []
  | _ :: acts => set_of (map fst (column images)) :: all_keys acts (map (@tl image) images)
  end.

Variable f : X -> B -> image.
Definition images_of (acts : list X) (b : B) : list image := map (fun x => f x b) acts.

Lemma none_before_is acts S own own_first : none_before acts (map (images_of acts) S) own own_first =
  forallb (fun x => negb (forallb snd (map (f x) S) && set_before 0%uint63 (map fst (map (f x) S)) own own_first)) acts.
Proof.
  induction acts as [|x acts IH]; [reflexivity|]. cbn [none_before forallb]. unfold column. rewrite !map_map. cbn [images_of map hd tl].
  f_equal. rewrite <- IH. reflexivity.
Qed.

Lemma all_keys_are acts S : all_keys acts (map (images_of acts) S) = map (fun x => set_of (map fst (map (f x) S))) acts.
Proof.
  induction acts as [|x acts IH]; [reflexivity|]. cbn [all_keys map]. unfold column. rewrite !map_map. cbn [images_of map hd tl].
  f_equal. rewrite <- IH. reflexivity.
Qed.
End Columns.

(** ** The test whether a solution is the least of its orbit, and the size of the orbit *)

Section Codes.
Variable acts : list act.
Variable code : placement -> int.
Variable allowed : placement -> bool.

Definition coded (p : placement) : image := (code p, allowed p).
Definition codes (S : list placement) : list int := set_of (map code S).
Definition all_allowed (S : list placement) : bool := forallb allowed S.
Definition acting : list (list placement -> list placement) := map (fun x => acted (image_of x)) acts.
Definition entry (p : placement) : int * list image := (code p, images_of (fun x p => coded (image_of x p)) acts p).

Definition entries_least (es : list (int * list image)) : bool :=
  let own := map fst es in none_before acts (map snd es) own (first_of 0%uint63 own).
Definition entries_size (es : list (int * list image)) : Z := Z.of_nat (length (set_of (all_keys acts (map snd es)))).

Lemma codes_of_images x S : codes (acted (image_of x) (set_of S)) = set_of (map fst (map (fun p => coded (image_of x p)) S)).
Proof.
  unfold codes, acted. rewrite map_map. cbn [coded fst]. apply set_of_same. intros k. rewrite !in_map_iff. split.
  - intros (q & <- & Hq). rewrite set_of_In, in_map_iff in Hq. destruct Hq as (p & <- & Hp). rewrite set_of_In in Hp. exists p. auto.
  - intros (p & <- & Hp). exists (image_of x p). split; [reflexivity|]. apply set_of_In. apply in_map. now apply set_of_In.
Qed.

Lemma allowed_images x S : all_allowed (acted (image_of x) (set_of S)) = forallb snd (map (fun p => coded (image_of x p)) S).
Proof.
  apply eq_iff_eq_true. unfold all_allowed, acted. rewrite !forallb_forall. split; intros H.
  - intros e He. apply in_map_iff in He as (p & <- & Hp). cbn [coded snd]. apply H, set_of_In. apply in_map. now apply set_of_In.
  - intros q Hq. rewrite set_of_In, in_map_iff in Hq. destruct Hq as (p & <- & Hp). rewrite set_of_In in Hp.
    apply (H (coded (image_of x p))). now apply in_map with (f := fun p => coded (image_of x p)).
Qed.

Lemma entries_least_is S : entries_least (map entry S) = least acting codes all_allowed (set_of S).
Proof.
  unfold entries_least, least. rewrite !map_map. cbn [entry fst snd].
  rewrite (none_before_is (fun x p => coded (image_of x p))). unfold acting.
  assert (M : forall (g : (list placement -> list placement) -> bool) l, forallb g (map (fun x => acted (image_of x)) l) =
    forallb (fun x => g (acted (image_of x))) l) by (intros g l; induction l as [|x l IH]; cbn; congruence).
  rewrite M. assert (E : forall (g h : act -> bool) l, (forall x, g x = h x) -> forallb g l = forallb h l).
  { intros g h l H. induction l as [|x l IH]; cbn; [reflexivity|]. now rewrite H, IH. }
  apply E. intros x. rewrite allowed_images, codes_of_images. rewrite (set_before_is 0%uint63) by now rewrite !map_length.
  f_equal. f_equal. f_equal. unfold codes. apply set_of_same. intros k. rewrite !in_map_iff.
  split; intros (p & <- & Hp); exists p; (split; [reflexivity|]); now apply set_of_In.
Qed.

Lemma entries_size_is S : entries_size (map entry S) = size acting codes (set_of S).
Proof.
  unfold entries_size, size. rewrite !map_map. cbn [entry snd]. rewrite (all_keys_are (fun x p => coded (image_of x p))).
  unfold acting. rewrite map_map. do 3 f_equal. apply map_ext. intros x. symmetry. apply codes_of_images.
Qed.
End Codes.

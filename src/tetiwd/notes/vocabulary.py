"""What synthetic notes say: invented sentences by topic, and the patient groups that use them.

A template holds choices: ``[steady|normal]`` is one of these, ``{side}`` a word of ``WORDS``, ``{5..20}`` a number,
``{100..400:50}`` one in steps, ``{1.5..2.5:0.1}`` one with decimals, and ``{date}`` a day shortly before the note. The
templates of one topic say much the same in similar words. Words are shared between topics and topics between groups.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

SECTIONS = ("history", "examination", "results", "plan")
HEADINGS = {
    "history": ("HPI", "Interval history", "Subjective"),
    "examination": ("Exam", "Physical examination", "Objective"),
    "results": ("Results", "Imaging and laboratory"),
    "plan": ("Plan", "Assessment and plan", "A/P"),
}

WORDS = {
    "pt": ("Patient", "Pt", "The patient"),
    "says": ("reports", "notes", "describes"),
    "side": ("left", "right"),
    "lobe": ("frontal", "temporal", "parietal", "occipital"),
    "limb": ("arm", "leg", "hand"),
    "mri": ("MRI brain", "brain MRI", "MRI of the brain"),
    "daily": ("once daily", "daily", "q.d.", "every morning"),
    "twice": ("b.i.d.", "twice daily", "twice a day"),
    "relative": ("wife", "husband", "daughter", "son", "sister"),
    "count": ("two", "three", "four", "several"),
}
TRAITS = ("side", "lobe", "relative")  # the same in all notes of a patient
LEADS = (  # what may stand before any sentence …
    *("Today", "As before", "On review", "Per {relative}", "Of note", "Currently", "At this visit", "As discussed"),
    *("In brief", "Update", "Per chart", "Again", "To summarize", "Overall", "Briefly", "As known"),
)
TAILS = (  # … and after it
    *(", as at the last visit", " per outside report", ", discussed with {relative}", " at this time", ", see above"),
    *(", reviewed with the team", " as of {date}", ", documented elsewhere", ", noted again", ", to be rechecked"),
    *(", seen with the fellow", ", as stated before", ", copied from the chart", " as noted {date}", ", as expected"),
    *(", same as {date}", " per prior note", ", will be followed", ", mentioned in passing", ", details on file"),
)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

CHOICE = re.compile(r"\[([^\]]*)\]")
SLOT = re.compile(r"\{([^}]*)\}")
NUMBERS = re.compile(r"([\d.]+?)\.\.([\d.]+)(?::([\d.]+))?")


@dataclass(frozen=True)
class Topic:
    """Sentences that say much the same."""

    section: str  # where in a note they stand
    templates: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """A kind of patient."""

    name: str
    description: str
    share: float  # of patients, relative to other groups
    loyalty: float  # how likely a patient is seen again, relative to other groups
    death_rate: float  # of patients whose last notes are of this kind
    own: str  # topics of this group alone, blanks between
    shared: str  # topics that other groups may have, too; half as frequent

    @property
    def weights(self) -> dict[str, float]:
        """How often the topics occur, relative to each other."""
        return dict.fromkeys(self.own.split(), 1.0) | dict.fromkeys(self.shared.split(), 0.5)


@cache
def wordings(topic: Topic) -> tuple[list[tuple[str, list[str]]], list[float]]:
    """All wordings of a topic, each as a frame and the slots to be filled in, and how frequent they are."""
    frames, weights = [], []
    for template in topic.templates:
        parts = [part.split("|") if place % 2 else [part] for place, part in enumerate(CHOICE.split(template))]
        variants = ["".join(chosen) for chosen in product(*parts)]
        frames += [(SLOT.sub("{}", variant), SLOT.findall(variant)) for variant in variants]
        weights += [1 / len(variants)] * len(variants)
    return frames, weights


@cache
def options(slot: str) -> NDArray[Any]:
    """What may stand in a slot: words, or the numbers of a range."""
    if slot in WORDS:
        return np.array(WORDS[slot], dtype=object)
    limits = NUMBERS.fullmatch(slot)
    if limits is None:
        raise KeyError(f"no words for {{{slot}}}")
    step = limits[3] or "1"
    decimals = len(step.partition(".")[2])
    low, high, width = (round(float(number) * 10**decimals) for number in (limits[1], limits[2], step))
    return np.array([f"{n / 10**decimals:.{decimals}f}" for n in range(low, high + 1, width)], dtype=object)


def _history(*templates: str) -> Topic:
    return Topic("history", templates)


def _examination(*templates: str) -> Topic:
    return Topic("examination", templates)


def _results(*templates: str) -> Topic:
    return Topic("results", templates)


def _plan(*templates: str) -> Topic:
    return Topic("plan", templates)


BOILERPLATE = {  # what the note of anybody may say
    "vitals": _examination(
        "Blood pressure {100..150}/{60..92}, pulse {58..98}, temperature {36.2..37.4:0.1}, respirations {12..20}.",
        "Vital signs: BP {100..150}/{60..92}, pulse {58..98}, temperature {36.2..37.4:0.1} C, saturation {95..100}%.",
    ),
    "weight": _examination(
        "Weight is {50..105} kg and height {150..195} cm.",
        "Weight {50..105} kg, height {150..195} cm, body mass index {19..36}.",
    ),
    "constitution": _history(
        "Review of systems: no [fever|fevers], chills or night sweats.",
        "{pt} denies fever, chills, night sweats and [weight loss|weight gain].",
    ),
    "breathing": _history(
        "Denies [chest pain|chest pressure], cough or shortness of breath.",
        "Review of systems: no chest pain, palpitations, cough or [dyspnea|shortness of breath].",
    ),
    "digestion": _history(
        "Denies nausea, vomiting, diarrhea [or|and] constipation.",
        "Review of systems: no nausea, vomiting, [abdominal pain|heartburn] or diarrhea.",
    ),
    "heart": _examination(
        "Heart: regular rate and rhythm, no murmurs[| or gallops].",
        "Cardiac: regular rate and rhythm w/o murmurs, rubs or gallops.",
    ),
    "lungs": _examination(
        "Lungs are clear to auscultation [bilaterally|on both sides].",
        "Chest: clear to auscultation bilaterally, no wheezes[| or rales].",
    ),
    "abdomen": _examination(
        "Abdomen: soft, nontender, [nondistended|not distended], bowel sounds present.",
        "The abdomen is soft and nontender with normal bowel sounds.",
    ),
    "skin": _examination(
        "Skin is warm and dry, no rash[| or bruising].",
        "Skin: warm, dry, no rash, no edema of the extremities.",
    ),
    "allergies": _history(
        "Allergies: [none known|penicillin|sulfa drugs|latex], as listed in the chart.",
        "Known drug allergies: [none|penicillin|codeine].",
    ),
    "medications": _history(
        "The list of medications was reviewed and reconciled [today|with the patient|with the {relative}].",
        "Medications reviewed and reconciled, {4..14} on the list.",
    ),
    "smoking": _history(
        "Tobacco: [never smoker|former smoker, quit {2..30} years ago], alcohol [rarely|socially|none].",
        "Social history: [never smoked|stopped smoking {2..30} years ago], drinks alcohol [rarely|socially].",
    ),
    "family": _history(
        "Family history is [noncontributory|negative for brain tumors|unremarkable].",
        "Family history: [mother|father|brother] with [hypertension|heart disease], otherwise noncontributory.",
    ),
    "home": _history(
        "Lives at home with {relative}[| and a dog| and two cats].",
        "{pt} lives with {relative} in a [house|second floor apartment|single storey home].",
    ),
    "blood": _results(
        "Sodium {132..146}, potassium {3.4..5.0:0.1}, creatinine {0.6..1.3:0.1}, glucose {78..160}.",
        "Labs of {date}: sodium {132..146}, potassium {3.4..5.0:0.1}, hemoglobin {10.5..15.5:0.1}.",
    ),
    "liver": _results(
        "Liver function tests [are|were] within normal limits, ALT {10..45}.",
        "LFTs of {date} within normal limits, ALT {10..45}, AST {10..40}.",
    ),
    "records": _history(
        "Outside records and notes were [reviewed|obtained and reviewed] before the visit.",
        "I reviewed outside records and the note of {date}.",
    ),
    "consent": _plan(
        "All questions were answered and the {relative} agrees with the plan.",
        "The plan was discussed, all questions were answered[| to satisfaction].",
    ),
    "time": _plan(
        "A total of {15..60:5} minutes was spent, more than half in counseling.",
        "I spent {15..60:5} min face to face, more than half of it in counseling and coordination.",
    ),
    "appointment": _plan(
        "Return to clinic in {2..12} weeks or sooner if needed.",
        "Follow-up visit in clinic in {2..12} weeks[| with labs].",
    ),
    "call": _plan(
        "Instructed to call the office with [any questions|any concerns|questions or concerns].",
        "{pt} knows to call the office or go to the emergency room with any concerns.",
    ),
}

BACKGROUND = {  # other illnesses; every patient has one of them, whatever the group
    "hypertension": _history(
        "Hypertension is [controlled|well controlled] on lisinopril {5..40:5} mg {daily}.",
        "Takes lisinopril {5..40:5} mg {daily} for hypertension.",
    ),
    "diabetes": _history(
        "Diabetes type 2 on metformin {500..1000:250} mg {twice}, A1c {5.8..8.5:0.1}.",
        "Takes metformin {500..1000:250} mg {twice} for type 2 diabetes.",
    ),
    "thyroid": _history(
        "Hypothyroidism on levothyroxine {50..150:25} mcg {daily}.",
        "Takes levothyroxine {50..150:25} mcg {daily} for hypothyroidism, TSH normal.",
    ),
    "asthma": _history(
        "Mild asthma, uses an albuterol inhaler [rarely|as needed].",
        "Asthma since childhood, albuterol inhaler as needed.",
    ),
    "reflux": _history(
        "Reflux is treated with omeprazole {20..40:20} mg {daily}.",
        "Takes omeprazole {20..40:20} mg {daily} for reflux.",
    ),
    "lipids": _history(
        "Hyperlipidemia on atorvastatin {10..80:10} mg at bedtime.",
        "Takes atorvastatin {10..80:10} mg at bedtime for high cholesterol and hyperlipidemia.",
    ),
    "back": _history(
        "Chronic low back pain [since|after] a fall, uses ibuprofen.",
        "Low back pain is chronic, relieved by ibuprofen {200..600:200} mg.",
    ),
}

SPECIFIC = {  # what is said of some groups only
    # shared by several groups
    "stable_imaging": _results(
        "No evidence of [tumor |]progression on {mri} of {date}.",
        "{mri} of {date} shows no evidence of progression, no new enhancement.",
        "[Stable|Unchanged] {mri} without new enhancement or evidence of progression.",
    ),
    "progression": _results(
        "Evidence of [tumor |]progression on {mri} of {date}.",
        "{mri} of {date} shows progression with new enhancement, now {12..48} mm.",
        "[Increasing|Growing] nodular enhancement in the {side} {lobe} lobe c/w progression.",
    ),
    "dexamethasone": _plan(
        "Dexamethasone {2..8:2} mg {twice} for edema.",
        "[Continue|Taper] dexamethasone, now {2..8:2} mg {daily}, for vasogenic edema.",
    ),
    "levetiracetam": _plan(
        "Continue levetiracetam {500..1500:250} mg {twice}.",
        "Levetiracetam {500..1500:250} mg {twice} is [continued|well tolerated].",
    ),
    "weakness": _examination(
        "Strength is {3..4}/5 in the {side} {limb} with pronator drift.",
        "{side} sided weakness, strength {2..4}/5 in the {limb}[|, pronator drift present].",
    ),
    "headache": _history(
        "{pt} {says} headaches, worse [in the morning|when lying flat], {3..9}/10.",
        "Headaches [daily|most mornings] with a severity of {3..9}/10.",
    ),
    "radiation_history": _history(
        "Radiation was [completed|finished] on {date} without interruption.",
        "s/p radiation, completed {date}, tolerated without interruption.",
    ),
    "sleepy": _history(
        "{relative} {says} that the patient sleeps most of the day.",
        "Increasingly [tired|sleepy], sleeps {12..20} hours of the day per {relative}.",
    ),
    # surveillance
    "feels_well": _history(
        "{pt} feels well and has no new neurologic complaints.",
        "Doing [very |]well at home, no new neurologic complaints since {date}.",
        "Feels well, no change in [memory|mood|energy] since the last visit.",
    ),
    "visual_fields": _examination(
        "Visual fields full to confrontation [in both eyes|bilaterally], pupils equal and reactive.",
        "Cranial nerves: visual fields full, pupils equal, eye movements conjugate.",
    ),
    "normal_gait": _examination(
        "Gait steady with normal tandem walking and negative Romberg.",
        "Tandem gait normal, Romberg negative, [heel and toe walking intact|turns easily].",
    ),
    "fluent": _examination(
        "Speech fluent with intact naming, repetition and comprehension.",
        "Fluent, naming and repetition intact, follows [two|three] step commands.",
    ),
    "reflexes": _examination(
        "Reflexes {1..2}+ and symmetric, toes downgoing [bilaterally|on both sides].",
        "Deep tendon reflexes symmetric at {1..2}+, toes downgoing, no clonus.",
    ),
    "back_to_work": _history(
        "Has returned to [full time|part time] work as a [teacher|clerk|driver|cook].",
        "Back at work [full time|part time] and exercises {2..5} times a week.",
    ),
    "watch": _plan(
        "Continue surveillance with {mri} every {3..6} months.",
        "Next surveillance {mri} in {3..6} months, off treatment.",
    ),
    # surgery
    "craniotomy": _history(
        "Underwent {side} {lobe} craniotomy for resection on {date}.",
        "s/p {side} {lobe} craniotomy with [gross total|subtotal] resection {date}.",
    ),
    "incision": _examination(
        "Incision clean, dry and intact, [staples|sutures] in place.",
        "The surgical incision is healing, clean and dry, no [drainage|erythema].",
    ),
    "postoperative_scan": _results(
        "Postoperative CT shows [expected|small] pneumocephalus and no hemorrhage.",
        "Postoperative scan of {date}: expected blood products in the cavity, no hemorrhage.",
    ),
    "staples": _plan(
        "[Staples|Sutures] to be removed on postoperative day {10..14}.",
        "Remove [staples|sutures] at the wound check on postoperative day {10..14}.",
    ),
    "pathology_waits": _results(
        "Frozen section [suggested|was c/w] glioma, final pathology is pending.",
        "Final pathology pending, the frozen section showed [glioma|atypical cells].",
    ),
    "hospital_stay": _history(
        "Discharged from the neurosurgical floor on postoperative day {2..7}.",
        "Postoperative stay was uneventful, extubated and discharged on day {2..7}.",
    ),
    "anesthesia": _history(
        "Recovering from [anesthesia|surgery], incisional pain {1..5}/10, oxycodone as needed.",
        "Incisional pain {1..5}/10 controlled with oxycodone {5..10:5} mg as needed.",
    ),
    # palliative
    "hospice": _plan(
        "Enrolled in home hospice on {date}, [nurse|aide] visits {2..5} times weekly.",
        "Hospice [nurse|aide] to visit {2..5} times weekly, hospital bed delivered.",
    ),
    "goals": _plan(
        "Goals of care discussed, comfort is the [main|only] goal.",
        "Goals of care meeting with {relative}: comfort measures, no further chemotherapy.",
    ),
    "code_status": _plan(
        "Code status is DNR/DNI, the form was signed by the health care proxy.",
        "DNR/DNI confirmed, {relative} is the health care proxy[| and has signed].",
    ),
    "morphine": _plan(
        "Morphine {5..20:5} mg sublingual every {2..4} hours for comfort.",
        "Liquid morphine {5..20:5} mg every {2..4} hours, lorazepam for agitation.",
    ),
    "bedbound": _examination(
        "Bedbound, opens eyes to voice, Karnofsky performance score {10..40:10}.",
        "Karnofsky score {10..40:10}, bedbound, [minimally|barely] responsive to voice.",
    ),
    "intake": _history(
        "Takes only sips and [soft food|thickened liquids], swallowing is worse.",
        "Oral intake is down to sips, trouble swallowing [pills|liquids].",
    ),
    "bereavement": _plan(
        "Chaplain and social worker offered [support|bereavement support] to the {relative}.",
        "Social worker met the {relative} to prepare for [the last days|bereavement].",
    ),
    # glioblastoma
    "temozolomide": _plan(
        "Start cycle {2..12} of temozolomide at {150..200:50} mg/m2, days 1 to 5.",
        "Temozolomide cycle {2..12}, {150..200:50} mg/m2 for 5 days of 28.",
    ),
    "sixty_gray": _history(
        "Receives radiation [54 Gy in 27|60 Gy in 30] fractions with concurrent temozolomide.",
        "Chemoradiation: [54 Gy in 27|60 Gy in 30] fractions, concurrent temozolomide 75 mg/m2.",
    ),
    "glioblastoma": _history(
        "Glioblastoma of the {side} {lobe} lobe, WHO grade IV, IDH wildtype.",
        "{side} {lobe} glioblastoma, grade IV, MGMT promoter [methylated|unmethylated].",
    ),
    "platelets": _results(
        "Platelets {60..220}, neutrophils {1.0..5.5:0.1}, lymphopenia [persists|noted].",
        "CBC of {date}: platelets {60..220}, neutrophils {1.0..5.5:0.1}, lymphocytes low.",
    ),
    "fields_device": _plan(
        "Tumor treating fields device worn {60..95}% of the time, scalp [intact|irritated].",
        "Wears the tumor treating fields array {14..22} hours a day.",
    ),
    "prophylaxis": _plan(
        "Trimethoprim-sulfamethoxazole [three times weekly|on weekends] for pneumocystis prophylaxis.",
        "Pneumocystis prophylaxis with trimethoprim-sulfamethoxazole [continues|resumed].",
    ),
    "bevacizumab": _plan(
        "Add bevacizumab 10 mg/kg every two weeks, monitor urine protein.",
        "Bevacizumab infusion {2..16} today, [urine protein negative|blood pressure acceptable].",
    ),
    # seizures
    "semiology": _history(
        "Seizures begin with [a rising feeling|a strange smell|staring], then jerking of the {side} {limb}.",
        "Typical seizure: aura of [smell|deja vu|fear], staring, then {side} {limb} jerking.",
    ),
    "seizure_count": _history(
        "{pt} {says} {count} seizures since {date}, [the last one|each] lasting {1..5} minutes.",
        "Had {count} focal seizures [this month|since {date}], longest {1..5} minutes.",
    ),
    "eeg": _results(
        "EEG of {date} with {side} {lobe} sharp waves and slowing.",
        "Video EEG captured {2..6} events with {side} {lobe} onset, [sharp waves|spikes] between.",
    ),
    "lacosamide": _plan(
        "Increase lacosamide to {100..200:50} mg {twice}, check ECG.",
        "Lacosamide {100..200:50} mg {twice} was added, PR interval [normal|checked on ECG].",
    ),
    "driving": _plan(
        "No driving until seizure free for [six|twelve] months, state law was explained.",
        "Driving restrictions and seizure precautions [were reviewed|explained], no heights or swimming alone.",
    ),
    "rescue": _plan(
        "Intranasal midazolam {5..10:5} mg as rescue for seizures longer than five minutes.",
        "Rescue midazolam {5..10:5} mg given to {relative} for clusters.",
    ),
    "drug_level": _results(
        "Valproate level {45..110} mcg/mL, [trough|random], ammonia {20..60}.",
        "Trough valproate level of {date} was {45..110}, ammonia normal.",
    ),
    # metastases
    "lung_primary": _history(
        "Non-small cell lung adenocarcinoma, EGFR [exon 19|L858R] mutated, on osimertinib.",
        "Metastatic lung adenocarcinoma on osimertinib {40..80:40} mg since {date}.",
    ),
    "breast_primary": _history(
        "Metastatic breast carcinoma, HER2 positive, on trastuzumab since {date}.",
        "HER2 positive breast carcinoma, s/p mastectomy, trastuzumab [continues|every three weeks].",
    ),
    "brain_metastases": _results(
        "Multiple brain metastases, the largest {6..32} mm in the {side} cerebellum.",
        "{3..14} brain metastases, largest in the {side} [cerebellum|thalamus|insula], {6..32} mm.",
    ),
    "radiosurgery": _plan(
        "Stereotactic radiosurgery to {2..9} lesions, {18..24:2} Gy to the margin.",
        "Radiosurgery on {date}: {2..9} lesions treated with {18..24:2} Gy each.",
    ),
    "body_scan": _results(
        "CT of the chest, abdomen and pelvis: [hilar|mediastinal] nodes {8..24} mm, liver lesions.",
        "Restaging CT chest, abdomen and pelvis with [stable|smaller] hilar nodes and bone lesions.",
    ),
    "systemic": _plan(
        "Medical oncology will [continue|change] systemic therapy, last dose {date}.",
        "Systemic therapy per medical oncology, tumor markers [rising|falling].",
    ),
    "whole_brain": _plan(
        "Whole brain radiation with memantine and hippocampal avoidance was [offered|deferred].",
        "Memantine {10..20:10} mg with whole brain radiation, hippocampal avoidance planned.",
    ),
    # hydrocephalus
    "ventricles": _results(
        "Ventricles are [enlarged|larger than before] with transependymal flow, Evans index {0.32..0.45:0.01}.",
        "CT: [enlarged|dilated] lateral and third ventricles, Evans index {0.32..0.45:0.01}.",
    ),
    "shunt_valve": _plan(
        "Programmable shunt valve was set to {80..200:10} mm H2O.",
        "Shunt valve reprogrammed from {120..200:10} to {80..110:10} mm H2O and checked by x-ray.",
    ),
    "shunt_site": _examination(
        "Ventriculoperitoneal shunt reservoir depresses and refills [briskly|slowly].",
        "Shunt tubing palpable along the neck, reservoir refills [briskly|slowly].",
    ),
    "magnetic_gait": _examination(
        "Magnetic, shuffling gait with {6..16} steps to turn.",
        "Shuffling broad based gait, feet [stick to the floor|magnetic], turns in {6..16} steps.",
    ),
    "incontinence": _history(
        "Urinary urgency and incontinence {2..6} times a week, forgetful.",
        "Urinary incontinence and slowed thinking [since|began before] {date}.",
    ),
    "lumbar_tap": _results(
        "High volume lumbar tap removed {30..50:5} mL, opening pressure {14..28} cm.",
        "Opening pressure {14..28} cm, {30..50:5} mL drained at the lumbar tap, walking improved.",
    ),
    "ventriculostomy": _plan(
        "Endoscopic third ventriculostomy was [discussed|scheduled for the coming weeks].",
        "Neurosurgery plans endoscopic third ventriculostomy or shunt revision.",
    ),
    # rehabilitation
    "physical_therapy": _plan(
        "Physical therapy {2..5} times weekly for transfers and balance training.",
        "Continue physical therapy, balance and stair training {2..5} times weekly.",
    ),
    "occupational_therapy": _plan(
        "Occupational therapy for dressing, bathing and [kitchen tasks|fine motor skills].",
        "Occupational therapist works on bathing, dressing and {side} hand function.",
    ),
    "speech_therapy": _plan(
        "Speech therapist treats aphasia with naming cards {2..4} times weekly.",
        "Speech therapy for [expressive|mixed] aphasia, word finding drills.",
    ),
    "brace": _examination(
        "Walks {20..200:10} feet with ankle foot orthosis and [rolling walker|quad cane].",
        "Ambulates {20..200:10} feet with [rolling walker|quad cane], ankle foot orthosis fits.",
    ),
    "spasticity": _plan(
        "Baclofen {5..20:5} mg for spasticity, botulinum toxin to the {side} calf.",
        "Spasticity Ashworth {1..3}, baclofen increased to {5..20:5} mg.",
    ),
    "independence": _results(
        "Functional independence measure improved from {50..70} to {71..110}.",
        "Functional independence score {50..110}, gains in [self care|mobility].",
    ),
    "equipment": _plan(
        "Ordered [wheelchair|shower chair|grab bars] and caregiver training for {relative}.",
        "Caregiver training done with {relative}, [shower chair|ramp|grab bars] at home.",
    ),
    # lymphoma
    "methotrexate": _plan(
        "High dose methotrexate {3..8} g/m2, cycle {1..8}, with hydration.",
        "Cycle {1..8} of high dose methotrexate with [hydration|alkalinization] and leucovorin.",
    ),
    "clearance": _results(
        "Methotrexate level {0.05..0.95:0.05} at {48..96:24} hours, leucovorin until cleared.",
        "Leucovorin rescue until the methotrexate level is below 0.1, now {0.15..0.95:0.05}.",
    ),
    "rituximab": _plan(
        "Rituximab {375..500:125} mg/m2 with premedication, infusion {1..8}.",
        "Infusion {1..8} of rituximab without [reaction|rigors], premedication given.",
    ),
    "b_cells": _results(
        "Stereotactic biopsy: diffuse large B-cell lymphoma, CD20 positive.",
        "Biopsy of {date} with CD20 positive diffuse large B-cell lymphoma, Ki-67 {70..95}%.",
    ),
    "flow": _results(
        "CSF flow cytometry [negative|positive] for clonal B cells, protein {40..120}.",
        "CSF protein {40..120}, cytology and flow cytometry [negative|suspicious].",
    ),
    "slit_lamp": _examination(
        "Slit lamp exam [without|with] vitreous cells per ophthalmology.",
        "Ophthalmology: vitreous [clear|hazy] on slit lamp.",
    ),
    "transplant": _plan(
        "Stem cell collection and autologous transplant are [planned|being considered].",
        "Referred for autologous stem cell transplant with thiotepa conditioning.",
    ),
}

ONLY_FIRST, FROM_SECOND = "surgery", "palliative"  # dies after the first window, is born in the second

GROUPS = (  # the first of them are used if fewer are asked for
    Group(
        "surveillance",
        "stable, seen for surveillance imaging",
        share=1.4,
        loyalty=1.5,
        death_rate=0.15,
        own="feels_well visual_fields normal_gait fluent reflexes back_to_work watch",
        shared="stable_imaging radiation_history",
    ),
    Group(
        ONLY_FIRST,
        "recovering from a craniotomy",
        share=1.0,
        loyalty=1.0,
        death_rate=0.4,
        own="craniotomy incision postoperative_scan staples pathology_waits hospital_stay anesthesia",
        shared="dexamethasone levetiracetam headache",
    ),
    Group(
        FROM_SECOND,
        "comfort care and hospice",
        share=1.0,
        loyalty=0.8,
        death_rate=0.95,
        own="hospice goals code_status morphine bedbound intake bereavement",
        shared="sleepy dexamethasone weakness",
    ),
    Group(
        "glioblastoma",
        "progressive glioblastoma under temozolomide and radiation",
        share=1.2,
        loyalty=0.8,
        death_rate=0.75,
        own="temozolomide sixty_gray glioblastoma platelets fields_device prophylaxis bevacizumab",
        shared="progression dexamethasone levetiracetam",
    ),
    Group(
        "seizures",
        "seizures that need treatment",
        share=1.0,
        loyalty=1.2,
        death_rate=0.35,
        own="semiology seizure_count eeg lacosamide driving rescue drug_level",
        shared="levetiracetam stable_imaging",
    ),
    Group(
        "metastases",
        "brain metastases of lung or breast cancer",
        share=1.0,
        loyalty=0.9,
        death_rate=0.65,
        own="lung_primary breast_primary brain_metastases radiosurgery body_scan systemic whole_brain",
        shared="progression dexamethasone radiation_history",
    ),
    Group(
        "hydrocephalus",
        "hydrocephalus with a shunt",
        share=0.8,
        loyalty=1.1,
        death_rate=0.25,
        own="ventricles shunt_valve shunt_site magnetic_gait incontinence lumbar_tap ventriculostomy",
        shared="headache sleepy",
    ),
    Group(
        "rehabilitation",
        "rehabilitation of weakness and aphasia",
        share=0.8,
        loyalty=1.2,
        death_rate=0.2,
        own="physical_therapy occupational_therapy speech_therapy brace spasticity independence equipment",
        shared="weakness stable_imaging",
    ),
    Group(
        "lymphoma",
        "lymphoma of the brain under methotrexate",
        share=0.8,
        loyalty=0.8,
        death_rate=0.8,
        own="methotrexate clearance rituximab b_cells flow slit_lamp transplant",
        shared="progression weakness",
    ),
)

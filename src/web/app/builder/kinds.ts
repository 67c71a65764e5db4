import { type KnownKind, kindOf, kinds } from '../../../domain/structure/kinds.ts'

/** A question type in plain words. */
export interface KindName {
  kind: KnownKind
  label: string
  hint: string
  /** Further words that people search for. */
  words: string
}

/** A group of question types in the list of types. */
interface KindGroup {
  title: string
  kinds: readonly KindName[]
}

const name = (kind: KnownKind, label: string, hint: string, words = ''): KindName => ({ kind, label, hint, words })

/** All question types, in the order in which they are offered. */
export const kindGroups: readonly KindGroup[] = [
  {
    title: 'Choices',
    kinds: [
      name(
        'single-choice',
        'Single choice',
        'Respondents pick one choice.',
        'radio buttons multiple choice select one',
      ),
      name('multiple-choice', 'Multiple choice', 'Respondents pick any number of choices.', 'checkboxes select many'),
      name('image-choice', 'Image choice', 'One or several choices with pictures.', 'picture photo image selection'),
      name('dropdown-choice', 'Dropdown', 'One choice from a long list.', 'select menu list'),
      name('boolean-choice', 'Yes or no', 'Two choices.', 'boolean true false'),
      name('ranking', 'Ranking', 'Respondents put the choices in order.', 'order priority rank sort'),
    ],
  },
  {
    title: 'Text and numbers',
    kinds: [
      name('text-response', 'Text', 'A short or long answer.', 'open paragraph comment'),
      name(
        'number',
        'Number',
        'A whole or decimal number, with an optional unit.',
        'integer decimal amount age quantity',
      ),
      name('email', 'Email', 'An email address.', 'mail contact address'),
      name('datetime', 'Date or time', 'A date, a time or both.', 'calendar day'),
    ],
  },
  {
    title: 'Ratings',
    kinds: [
      name('rating', 'Rating', 'A number of stars.', 'star rating score scale satisfaction csat'),
      name('slider', 'Slider', 'A number between two limits.', 'range scale vas percent slide'),
      name('net-promoter', 'Net Promoter Score', 'A number from 0 to 10.', 'nps rating scale recommend'),
    ],
  },
  {
    title: 'Grids',
    kinds: [
      name('single-choice-grid', 'Grid of choices', 'The same choices for several rows.', 'matrix likert scale table'),
      name(
        'multiple-choice-grid',
        'Grid of checkboxes',
        'Several choices for each row.',
        'matrix multiple checkbox table',
      ),
      name('dropdown-grid', 'Grid of dropdowns', 'One dropdown for each row.', 'matrix table select'),
      name('text-response-grid', 'Grid of texts', 'One text for each row.', 'matrix table open'),
    ],
  },
  {
    title: 'Files and consent',
    kinds: [
      name('file-upload', 'File upload', 'Respondents attach files.', 'attachment document photo picture pdf image'),
      name(
        'signature',
        'Signature',
        'A typed name, and a drawing if respondents want.',
        'sign draw autograph contract',
      ),
      name(
        'consent',
        'Consent',
        'A checkbox; the text and its version are stored.',
        'legal gdpr privacy terms agree accept',
      ),
    ],
  },
  {
    title: 'Without an answer',
    kinds: [
      name('section-separator', 'Heading or text', 'Shows text between questions.', 'section separator paragraph'),
      name('hidden-field', 'Hidden value', 'Takes a value from the survey link.', 'parameter url variable'),
      name(
        'calculation',
        'Calculation',
        'A number calculated from earlier answers.',
        'equation formula expression score sum',
      ),
    ],
  },
]

const byKind = new Map<string, KindName>(kindGroups.flatMap((group) => group.kinds.map((entry) => [entry.kind, entry])))

/** Returns the question type of an `idname` in plain words; undefined for an unknown type. */
export const kindNameOf = (idname: unknown): KindName | undefined => byKind.get(kindOf(idname))

/** Returns the question type that a form names; undefined for anything else. */
export const parseKind = (value: string | undefined): KnownKind | undefined =>
  value !== undefined && Object.hasOwn(kinds, value) ? (value as KnownKind) : undefined

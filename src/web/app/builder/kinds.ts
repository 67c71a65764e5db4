import { type KnownKind, kindOf, questionTypes } from '../../../questions/index.ts'
import { perLanguage, t } from '../../i18n/t.ts'

/** The name and description of a question type for authors. */
export interface KindName {
  kind: KnownKind
  label: string
  hint: string
  /** Other words by which authors can find the question type in a search. */
  words: string
}

/** A group of related question types in the list of all types. */
interface KindGroup {
  title: string
  kinds: readonly KindName[]
}

const name = (kind: KnownKind, label: string, hint: string, words = ''): KindName => ({ kind, label, hint, words })

/** Returns all question types, in the order in which the builder lists them. */
export const kindGroups: () => readonly KindGroup[] = perLanguage(() => [
  {
    title: t('Choices'),
    kinds: [
      name(
        'single-choice',
        t('Single choice'),
        t('Respondents pick one choice.'),
        t('radio buttons multiple choice select one'),
      ),
      name(
        'multiple-choice',
        t('Multiple choice'),
        t('Respondents pick any number of choices.'),
        t('checkboxes select many'),
      ),
      name(
        'image-choice',
        t('Image choice'),
        t('One or several choices with pictures.'),
        t('picture photo image selection'),
      ),
      name('dropdown-choice', t('Dropdown'), t('One choice from a long list.'), t('select menu list')),
      name('boolean-choice', t('Yes or no'), t('Two choices.'), t('boolean true false')),
      name('ranking', t('Ranking'), t('Respondents put the choices in order.'), t('order priority rank sort')),
    ],
  },
  {
    title: t('Text and numbers'),
    kinds: [
      name('text-response', t('Text'), t('A short or long answer.'), t('open paragraph comment')),
      name(
        'number',
        t('Number'),
        t('A whole or decimal number, with an optional unit.'),
        t('integer decimal amount age quantity'),
      ),
      name('email', t('Email'), t('An email address.'), t('mail contact address')),
      name('datetime', t('Date or time'), t('A date, a time or both.'), t('calendar day')),
    ],
  },
  {
    title: t('Ratings'),
    kinds: [
      name('rating', t('Rating'), t('A number of stars.'), t('star rating score scale satisfaction csat')),
      name('slider', t('Slider'), t('A number between two limits.'), t('range scale vas percent slide')),
      name('net-promoter', t('Net Promoter Score'), t('A number from 0 to 10.'), t('nps rating scale recommend')),
    ],
  },
  {
    title: t('Grids'),
    kinds: [
      name(
        'single-choice-grid',
        t('Grid of choices'),
        t('The same choices for several rows.'),
        t('matrix likert scale table'),
      ),
      name(
        'multiple-choice-grid',
        t('Grid of checkboxes'),
        t('Several choices for each row.'),
        t('matrix multiple checkbox table'),
      ),
      name('dropdown-grid', t('Grid of dropdowns'), t('One dropdown for each row.'), t('matrix table select')),
      name('text-response-grid', t('Grid of texts'), t('One text for each row.'), t('matrix table open')),
    ],
  },
  {
    title: t('Files and consent'),
    kinds: [
      name(
        'file-upload',
        t('File upload'),
        t('Respondents attach files.'),
        t('attachment document photo picture pdf image'),
      ),
      name(
        'signature',
        t('Signature'),
        t('A typed name, and a drawing if respondents want.'),
        t('sign draw autograph contract'),
      ),
      name(
        'consent',
        t('Consent'),
        t('A checkbox. Canvass stores its text and the version of the text.'),
        t('legal gdpr privacy terms agree accept'),
      ),
    ],
  },
  {
    title: t('Not answered by respondents'),
    kinds: [
      name(
        'section-separator',
        t('Heading or text'),
        t('Shows text between questions.'),
        t('section separator paragraph'),
      ),
      name('hidden-field', t('Hidden value'), t('Takes a value from the survey link.'), t('parameter url variable')),
      name(
        'calculation',
        t('Calculation'),
        t('A number calculated from earlier answers.'),
        t('equation formula expression score sum'),
      ),
    ],
  },
])

const byKind = perLanguage(
  () => new Map<string, KindName>(kindGroups().flatMap((group) => group.kinds.map((entry) => [entry.kind, entry]))),
)

/** Returns the name and description of the question type that an `idname` identifies; undefined for an unknown type. */
export const kindNameOf = (idname: unknown): KindName | undefined => byKind().get(kindOf(idname))

/** Returns the question type of a form field; undefined if the value is not a question type. */
export const parseKind = (value: string | undefined): KnownKind | undefined =>
  value !== undefined && Object.hasOwn(questionTypes, value) ? (value as KnownKind) : undefined

import { isRandomId } from '../../../structure/edit/edit-question.ts'
import { type MetaKey, metaFields } from '../../../structure/meta-fields.ts'
import type { QuestionNumbers } from '../../../structure/numbering.ts'
import type { Field, Question, Questionnaire } from '../../../structure/questionnaire.ts'

/** The names of variables: legal in SPSS, Stata and R, and different if upper and lower case are equal. */
export interface VariableNames {
  meta(key: MetaKey): string
  /** @param uid the stable number of the choice of the column; absent: the column contains the whole answer */
  answer(field: Field, uid?: number): string
}

/** Stata has the shortest names; SPSS allows 64 bytes, R 10,000. */
const MAX_NAME_CHARACTERS = 32

/** Words that are no names: of SPSS, of Stata and of R, in lower case. */
const RESERVED = new Set(
  [
    'all and by eq ge gt le lt ne not or to with',
    'byte double float if in int long str strl using aggregate array boolean break char class colvector complex const',
    'continue default delegate delete do else enum end export external for friend function global goto inline local',
    'matrix mata namespace new null numeric operator orgtypedef pointer polymorphic pragma private protected public',
    'quad real return rowvector scalar short signed static string struct super switch template this throw transmorphic',
    'try typedef typename union unsigned vector version virtual void volatile while',
    'repeat next true false inf nan na',
  ].flatMap((words) => words.split(' ')),
)

/** Reports whether a text is a legal name of a variable. Stata reserves `str1`, `str2` and so on. */
const isLegal = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(name) &&
  !name.endsWith('_') &&
  name.length <= MAX_NAME_CHARACTERS &&
  !RESERVED.has(name.toLowerCase()) &&
  !/^str\d+$/i.test(name)

/**
 * Names all variables of a survey. The name of a question is its identifier; without one, the ID that its author chose;
 * otherwise, or if that is no legal name, `q` and the number of the question, which never changes (question-numbers.ts).
 * A part of an answer adds its name to the name of the question: the stable number of a choice or row from 1 (`q1_3`),
 * `other`, or the part of a consent or signature. So no name changes if questions, rows or choices move or are removed.
 */
export function variableNames(q: Questionnaire, numbers: QuestionNumbers): VariableNames {
  const taken = new Set(metaFields.map(({ key }) => metaName(key)))
  /** Takes the first name that is free. */
  const take = (candidates: Iterable<string>): string => {
    for (const name of candidates) {
      if (taken.has(name.toLowerCase())) continue
      taken.add(name.toLowerCase())
      return name
    }
    throw new Error('there is no end to the names')
  }
  const bases = new Map<Question, string>()
  const named = [...q.questions].filter(({ fields }) => fields.length > 0)
  named.sort((a, b) => (numbers[a.id] ?? 0) - (numbers[b.id] ?? 0))
  for (const question of named) {
    const name = chosenName(question)
    if (name !== undefined && !taken.has(name.toLowerCase())) bases.set(question, take([name]))
  }
  for (const question of named)
    if (!bases.has(question)) bases.set(question, take(numberedNames(numbers[question.id] ?? 0)))

  const names = new Map<Field, Map<number | undefined, string>>()
  for (const question of named)
    for (const field of question.fields) {
      const base = bases.get(question)!
      const uids = field.type === 'multi' || field.type === 'ranking' ? uidsOf(field) : [undefined]
      names.set(field, new Map(uids.map((uid) => [uid, nameOf(base, suffixes(field, uid))])))
    }

  function nameOf(base: string, parts: readonly string[]): string {
    return parts.length === 0 ? base : take(joinedNames(base, parts.join('_')))
  }
  return {
    meta: metaName,
    answer: (field, uid) => names.get(field)!.get(uid)!,
  }
}

/** Returns the name of a metadata column: `response_id` for `_id`. */
const metaName = (key: MetaKey): string => `response${key.replace(/^_response/, '')}`

function chosenName({ id, identifier }: Question): string | undefined {
  if (identifier !== undefined && isLegal(identifier)) return identifier
  return isLegal(id) && !isRandomId(id) ? id : undefined
}

function* numberedNames(number: number): Generator<string> {
  yield `q${number}`
  yield `question${number}`
  for (let count = 2; ; count += 1) yield `question${number}_${count}`
}

const uidsOf = ({ choices, removed }: Field): number[] => [...choices, ...removed].map(({ uid }) => uid)

const suffixes = ({ row, part, type }: Field, uid: number | undefined): string[] => [
  ...(row ? [String(row.uid + 1)] : []),
  ...(part ? [part] : type === 'other' ? ['other'] : []),
  ...(uid === undefined ? [] : [String(uid + 1)]),
]

function* joinedNames(base: string, suffix: string): Generator<string> {
  const join = (end: string) => `${base.slice(0, MAX_NAME_CHARACTERS - end.length)}${end}`
  yield join(`_${suffix}`)
  for (let count = 1; ; count += 1) yield join(`_c${count === 1 ? '' : count}_${suffix}`)
}

import { typeOf } from '../../../questions/index.ts'
import { isTick, plainLabel, type Variable } from '../../response/export/statistics/variables.ts'
import { countedRemoved, positionsIn, reportedQuestions } from '../../response/filter/predicate.ts'
import { codedChoices } from '../../structure/choices.ts'
import type { Field, Questionnaire } from '../../structure/questionnaire.ts'
import { textIn } from '../../structure/text.ts'

const COLUMNS = 'question title key part kind role column position code label score positions'.split(' ')

/**
 * Returns the table from which the scripts make the figures of a report, the header first: a row for each choice of a
 * column of the report, or one for a column without choices.
 * @param selected IDs of the questions of the report; absent: all
 */
export function figureRows(
  q: Questionnaire,
  variables: readonly Variable[],
  selected: readonly string[] | null | undefined,
): string[][] {
  const byField = Map.groupBy(variables, ({ source }) => ('field' in source ? source.field : undefined))
  const say = (text: Field['question']['title']) => plainLabel(textIn(text, q.defaultLanguage, q))
  const rows = reportedQuestions(q)
    .filter(({ id }) => !selected || selected.includes(id))
    .flatMap(({ id, title, fields }) =>
      fields.flatMap((field) => {
        const part = field.row ? 'row' : ''
        return rowsOf(field, byField.get(field) ?? [], say).map((row) => [id, say(title), field.key, part, ...row])
      }),
    )
  return [COLUMNS, ...rows]
}

type Say = (text: Field['question']['title']) => string

/** Returns the cells of the rows of a field from `kind` on. */
function rowsOf(field: Field, variables: readonly Variable[], say: Say): string[][] {
  const kind = kindOf(field)
  const column = variables[0]?.name ?? ''
  if (kind === 'text' || kind === 'numbers') return [[kind, '', column, '', '', '', '', '']]
  const isTicks = kind === 'ticks' || kind === 'ranks'
  const columns = new Map(
    variables.map(({ name, source }) => ['field' in source ? source.choice?.uid : undefined, name]),
  )
  const coded = new Map(codedChoices(field).map((choice) => [choice.uid, choice]))
  const positions = kind === 'ranks' ? String(positionsIn(field)) : ''
  const counted = field.type === 'boolean' ? [] : countedRemoved(field)
  const codeOf = (uid: number) =>
    // A consent that was not given is stored as no answer.
    isTicks ? '' : kind === 'consent' ? (uid === 0 ? '1' : '') : (coded.get(uid)?.code ?? '')
  const rowOf = (role: string, uid: number, position: number, label: string, score = ''): string[] => [
    kind,
    role,
    isTicks ? (columns.get(uid) ?? '') : column,
    String(position),
    codeOf(uid),
    label,
    score,
    positions,
  ]
  const uncounted = isTicks ? field.removed.filter((choice) => !counted.includes(choice)) : []
  return [
    ...field.choices.map((choice) =>
      rowOf('choice', choice.uid, choice.index, say(choice.label), String(choice.score)),
    ),
    ...counted.map((choice, i) => rowOf('removed', choice.uid, i, say(choice.label))),
    ...uncounted.map((choice, i) => rowOf('other', choice.uid, i, say(choice.label))),
  ]
}

function kindOf(field: Field): string {
  const { type, question } = field
  if (type === 'decimal') return 'numbers'
  if (type === 'multi') return 'ticks'
  if (type === 'ranking') return 'ranks'
  if (isTick(field) && !field.part) return 'consent'
  if (type === 'single' || type === 'boolean') return 'choice'
  if (type === 'number') return typeOf(question.kind)?.promoters ? 'nps' : 'choice'
  return 'text'
}

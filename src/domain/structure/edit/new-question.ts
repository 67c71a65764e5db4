import { randomCode, UNAMBIGUOUS_CHARACTERS } from '../../../lib/secrets.ts'
import { type KnownKind, kinds } from '../kinds.ts'
import { type PartWord, partWord } from '../part-words.ts'
import type { StructureQuestion } from '../structure.ts'
import { mergeText } from './merge.ts'
import type { TextChange } from './operation.ts'

/** Number of choices of a new question. */
const NEW_CHOICES = 2

/** Returns a new question of a kind in full form, with choices or a row if the kind requires them. */
export function newQuestion(kind: KnownKind, id: string, code: string, title: TextChange = {}): StructureQuestion {
  const { optionType, choices, grid } = kinds[kind]
  const newItems = (noun: PartWord, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      label: { [code]: `${partWord(noun, code)} ${index + 1}` },
      uid: index,
    }))
  const ownChoices = choices ? { choices: newItems('new choice', NEW_CHOICES) } : {}
  const text = mergeText(undefined, title)
  return {
    type: 'question',
    width: 100,
    ...(text && { title: text }),
    idname: kind,
    ...(grid && ownChoices),
    children: grid
      ? newItems('new row', 1).map((row) => ({ type: optionType, ...row }))
      : optionType === null
        ? []
        : [{ type: optionType, ...ownChoices, ...(kind === 'calculation' && { expression: '0' }) }],
    id,
  }
}

/** Length of a random question ID. */
const ID_CHARACTERS = 10

/**
 * Returns a random ID. The ID is long enough to differ from the IDs of deleted questions: with the ID of a deleted
 * question, a new question would get the stored answers of the deleted question.
 */
export const newQuestionId = (): string => randomCode(ID_CHARACTERS)

/** Reports whether an ID looks like one of {@link newQuestionId}: a name that no person chose. */
export const isRandomId = (id: string): boolean =>
  id.length === ID_CHARACTERS &&
  [...id].every((character) => UNAMBIGUOUS_CHARACTERS.includes(character)) &&
  /[A-Z]/.test(id.slice(1))

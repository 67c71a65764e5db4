import type { FieldError } from '../field-error.ts'
import { checkStructure } from './check.ts'
import { isRecord, type Json } from './walk.ts'

/** A structure that was converted from another notation, and that the API may refuse. */
export type ConvertedStructure = Json & { form: Json[] }

/** A part that was left out because the API refuses it. */
export type LeftOut =
  | { kind: 'setting'; question: Json; member: string; error: FieldError }
  | { kind: 'condition'; question: Json; wasRequired: boolean; error: FieldError }
  | { kind: 'question'; question: Json; error: FieldError }
  | { kind: 'page condition'; page: number; error: FieldError }
  | { kind: 'skip' | 'quota'; at: number; error: FieldError }

/** Each round finds up to a hundred errors, and what is left out can cause further ones. */
const MAX_ROUNDS = 20

/**
 * Leaves out the parts of a converted structure that the API refuses. A conversion avoids such parts where it knows the
 * rule; a single part that it does not know must not reject the whole survey.
 * @param optional the settings that a question can do without
 * @param report receives each part that was left out
 * @returns an error that cannot be repaired, such as a survey with too many pages
 */
export function repairStructure(
  structure: ConvertedStructure,
  optional: ReadonlySet<string>,
  report: (part: LeftOut) => void,
): FieldError | undefined {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const errors = checkStructure(structure)
    if (errors.length === 0) return undefined
    const removed = new Set<unknown>()
    for (const error of errors) {
      const [, quota] = /^\/quotas\/(\d+)/.exec(error.field) ?? []
      const [, page, question, path = ''] = /^\/form\/(\d+)(?:\/children\/(\d+))?(\/.*)?$/.exec(error.field) ?? []
      const owner = structure.form[Number(page)]
      if (quota !== undefined) leaveOut(structure.quotas, Number(quota), { kind: 'quota', at: Number(quota), error })
      else if (page === undefined || !owner) return error
      else if (question !== undefined) repairQuestion(childrenOf(owner)[Number(question)], path, error, removed)
      else if (path.startsWith('/condition')) {
        delete owner.condition
        report({ kind: 'page condition', page: Number(page) + 1, error })
      } else if (path.startsWith('/skip/')) {
        const at = Number(path.split('/')[2])
        leaveOut(owner.skip, at, { kind: 'skip', at: Number(page) + 1, error })
      } else return error
    }
    structure.quotas &&= (structure.quotas as unknown[]).filter((quota) => quota !== null)
    for (const page of structure.form) {
      if (removed.size > 0) page.children = childrenOf(page).filter((child) => !removed.has(child))
      page.skip &&= (page.skip as unknown[]).filter((skip) => skip !== null)
    }
    structure.form = structure.form.filter((page) => childrenOf(page).length > 0)
  }
  return checkStructure(structure)[0]

  /** Several errors can name the same part. It is removed after the round, so that the others keep their positions. */
  function leaveOut(list: unknown, at: number, part: LeftOut): void {
    if (!Array.isArray(list) || list[at] === null) return
    list[at] = null
    report(part)
  }

  function repairQuestion(question: Json | undefined, path: string, error: FieldError, removed: Set<unknown>): void {
    if (!question || removed.has(question)) return
    const [option = {}] = childrenOf(question)
    const member = [...optional].find((name) => path.startsWith(`/children/0/${name}`) && name in option)
    if (member) {
      report({ kind: 'setting', question, member, error })
      delete option[member]
    } else if (path.startsWith('/condition')) {
      const wasRequired = option.required === true
      delete question.condition
      delete option.required
      report({ kind: 'condition', question, wasRequired, error })
    } else {
      removed.add(question)
      report({ kind: 'question', question, error })
    }
  }
}

const childrenOf = (owner: Json): Json[] => (Array.isArray(owner.children) ? owner.children.filter(isRecord) : [])

import { createHash } from 'node:crypto'
import { nextTurn } from '../../lib/next-turn.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import { checkStructure } from '../structure/check.ts'
import { type NumberedStructure, numberStructure } from '../structure/numbering.ts'
import type { LanguageText } from '../structure/questionnaire.ts'
import { normaliseStructure, type Structure } from '../structure/structure.ts'
import { membersOf } from '../structure/walk.ts'
import type { Tables } from '../tables.ts'
import { findCurrentVersion } from './versions.ts'

/** A draft: changes of a structure that respondents do not see yet. */
export interface Draft {
  /**
   * The version that the draft changes. If it is not the current version, another version was saved in the meantime.
   */
  baseVersion: number
  /** Username of the last author; undefined if the account was deleted. */
  author: string | undefined
  authorId: number | undefined
  updatedAt: Date
  /** Position of the draft in its history. */
  step: number
  /** The label of the operation that undo would revert; undefined if there is none. */
  undo: string | undefined
  /** The part that the last operation edited, if the editor saved it automatically. */
  subject: string | undefined
  /** The label of the operation that redo would repeat; undefined if there is none. */
  redo: string | undefined
}

/** The structure that authors edit: the draft, or the published version if there is no draft. */
export interface WorkingCopy extends NumberedStructure {
  published: NumberedStructure & { version: number }
  draft: Draft | undefined
  /** Whether the working copy differs from the published version. */
  changed: boolean
  /** Identifies the content of the working copy. */
  revision: string
}

/** Returns a short text that identifies the content of a structure or of a part of it. */
export const revisionOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url')
    .slice(0, 22)

/**
 * Returns the structure that authors edit (role Edit or Test).
 * @throws {Problem} `survey_not_found`, `forbidden`
 */
export async function findWorkingCopy(context: Context, surveyId: number): Promise<WorkingCopy> {
  const published = await findCurrentVersion(context, surveyId)
  const row = await context.em
    .getKysely<Tables>()
    .selectFrom('survey_draft as draft')
    .innerJoin('survey_draft_step as step', (join) =>
      join.onRef('step.survey_id', '=', 'draft.survey_id').onRef('step.step', '=', 'draft.step'),
    )
    .leftJoin('survey_draft_step as next', (join) =>
      join.onRef('next.survey_id', '=', 'draft.survey_id').on('next.step', '=', (eb) => eb('draft.step', '+', 1)),
    )
    .leftJoin('survey_draft_step as previous', (join) =>
      join
        .onRef('previous.survey_id', '=', 'draft.survey_id')
        .on('previous.step', '=', (eb) => eb('draft.step', '-', 1)),
    )
    .leftJoin('account', 'account.id', 'draft.author_id')
    .select([
      'draft.step',
      'base_version',
      'draft.updated_at',
      'username',
      'draft.author_id',
      'step.structure',
      'step.label',
      'step.subject',
    ])
    .select(['next.label as redo', 'previous.step as previous'])
    .where('draft.survey_id', '=', surveyId)
    .executeTakeFirst()
  await nextTurn()
  if (!row) return workingCopyOf(published, published, undefined)
  return workingCopyOf(published, numberStructure(row.structure, published), {
    baseVersion: row.base_version,
    author: row.username ?? undefined,
    authorId: row.author_id ?? undefined,
    updatedAt: new Date(row.updated_at),
    step: row.step,
    undo: row.previous === null ? undefined : row.label,
    subject: row.subject ?? undefined,
    redo: row.redo ?? undefined,
  })
}

function workingCopyOf(
  published: WorkingCopy['published'],
  { structure, removed }: NumberedStructure,
  draft: Draft | undefined,
): WorkingCopy {
  const changed = draft !== undefined && !isSame(structure, published.structure)
  return { published, structure, removed, draft, changed, revision: revisionOf(structure) }
}

const isSame = (a: Structure, b: Structure): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * Adds a title to an authored structure that has none. The title is the member `name`, which old clients send. If there
 * is no `name` and the structure has pages, the title is `fallback`. Does not validate the structure.
 */
export function withTitle(authored: unknown, fallback?: LanguageText | string): unknown {
  const { title: own, name, form } = membersOf(authored)
  if (own !== undefined) return authored
  const title = hasText(name) ? name : form && fallback
  return title ? { title, ...membersOf(authored) } : authored
}

function hasText(name: unknown): boolean {
  const texts = typeof name === 'string' ? [name] : Object.values(membersOf(name))
  return texts.every((text) => typeof text === 'string') && texts.some((text) => text.trim() !== '')
}

/**
 * Validates an authored structure and normalises it for storage.
 * @throws {Problem} `invalid_structure`, each error with a JSON pointer
 */
export function parseStructure(structure: unknown): Structure {
  const errors = checkStructure(structure)
  if (errors.length) throw problems.invalidStructure(errors)
  return normaliseStructure(structure)
}

import { Problem } from '../../../domain/problem.ts'
import { applyOperation } from '../../../domain/structure/edit/apply-operation.ts'
import type { Operation } from '../../../domain/structure/edit/operation.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { editDraft } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import type { Part } from '../../../lib/html.ts'
import { alert } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { rejectedPage } from '../../forms/form-page.ts'
import { errorText, problemText } from '../../i18n/error-texts.ts'
import { type StoredText, serializeText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import type { PageResult } from '../../page.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { describeErrors } from './describe-errors.ts'

/** The change of the draft that an editor of the builder makes: of a question, a page, a condition, the quotas, … */
export interface Edit {
  operation: Operation
  /** The description of the change, which the messages and the buttons for undo and redo contain. */
  label: StoredText
  /** Returns whether the author saw what the change replaces. */
  isCurrent?(now: Structure): boolean
  /** Names what changes. Consecutive changes with the same name are one step of undo. */
  subject?: string | undefined
  /** Renders the editor with the reasons why nothing was saved, as sentences, and with the entered values. */
  view(messages: readonly string[], problem: Problem): PageResult | Promise<PageResult>
  /** The address after success. */
  redirect: string
  /** The message that the next page shows. */
  flash?: string | undefined
}

/**
 * Saves a change to the draft. If the change is invalid or overwrites a change that the author has not seen, shows the
 * editor again with status 422.
 * @throws the error if the user cannot resolve it by changing the input
 */
export async function editorPage(request: SurveyRequest, edit: Edit): Promise<PageResult> {
  const { operation, label, isCurrent, subject, view, redirect, flash } = edit
  try {
    await request.write((context) =>
      editDraft(context, request.survey.id, operation, serializeText(label), {
        ...(isCurrent && { isCurrent }),
        subject,
      }),
    )
  } catch (error) {
    const messages = await rejectionOf(request, error, operation)
    return rejectedPage(await view(messages, request.toProblem(error) as Problem))
  }
  if (flash !== undefined) request.flash(flash)
  return { redirect }
}

/**
 * Returns whether what an editor shows is unchanged since it was opened. The hidden field `seen` of its form has the
 * revision.
 */
export const hasSeen = ({ form }: SurveyRequest, revision: string): boolean => {
  const seen = formValue(form, 'seen')
  return !seen || seen === revision
}

/** Renders the reasons why nothing was saved. */
export const notSaved = (messages: readonly string[]): Part =>
  alert(t('Nothing was saved. {messages}', { messages: messages.join(' ') }))

/**
 * Returns the reasons why an operation was not applied, as sentences.
 * @throws the error if the user cannot resolve it by changing the input
 */
export async function rejectionOf(request: SurveyRequest, error: unknown, operation: Operation): Promise<string[]> {
  const problem = request.toProblem(error)
  if (!(problem instanceof Problem) || !['invalid', 'conflict', 'not_found'].includes(problem.kind)) throw error
  if (problem.code === 'survey_not_found') throw error
  if (problem.code !== 'invalid_structure')
    return problem.errors.length > 0 ? problem.errors.map(errorText) : [problemText(problem)]
  const { structure } = await findWorkingCopy(request.context, request.survey.id)
  return describeErrors(problem.errors, applyOperation(structure, operation))
}

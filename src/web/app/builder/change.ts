import { applyOperation, findQuestion } from '../../../domain/structure/edit/apply-operation.ts'
import { newQuestionId } from '../../../domain/structure/edit/edit-question.ts'
import type { Operation } from '../../../domain/structure/edit/operation.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import { editDraft, moveInHistory } from '../../../domain/survey/drafts.ts'
import { findWorkingCopy, type WorkingCopy } from '../../../domain/survey/working-copy.ts'
import type { KnownKind } from '../../../questions/index.ts'
import { formValue } from '../../forms/form-fields.ts'
import { inLocale } from '../../i18n/page-locale.ts'
import { restoredText, type StoredText, serializeText, shownText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { kindNameOf, parseKind } from '../../questions/index.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { hasSeen, rejectionOf } from './editor-page.ts'
import { builderPage, pagesRevision } from './show.ts'
import { cardTitle, defaultCode } from './texts.ts'
import { cardAddress, pageAddress } from './window.ts'

/**
 * A change that a button makes to the draft, with the message that the next page shows and the address of that page.
 */
interface Change {
  operation: Operation
  /** The description of the change, which the message and the buttons for undo and redo contain. */
  label: StoredText
  /** Returns the address of the next page, with the fragment to which the browser scrolls. */
  to(after: Structure): string
  /**
   * Whether the change depends on the number and order of the pages. Such a change is rejected if the pages were
   * changed after the user opened the builder.
   */
  ofPages?: boolean
}

/** Applies the operation of the pressed button to the draft. */
export async function changeDraft(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, form } = request
  const action = formValue(form, 'do') ?? ''
  if (action === 'undo' || action === 'redo') return undo(request, action)
  const before = await findWorkingCopy(context, survey.id)
  const change = changeOf(request, before, action)
  if (!change) return { redirect: shownPath(request) }
  try {
    await request.write((writing) =>
      editDraft(writing, survey.id, change.operation, serializeText(change.label), {
        isCurrent: (structure) => !change.ofPages || hasSeen(request, pagesRevision(structure)),
      }),
    )
  } catch (error) {
    return builderPage(request, await rejectionOf(request, error, change.operation))
  }
  request.flash(`${shownText(change.label)}.${action.startsWith('delete') ? t(' Select Undo to restore it.') : ''}`)
  return { redirect: change.to(applyOperation(before.structure, change.operation)) }
}

async function undo(request: SurveyRequest, action: 'undo' | 'redo'): Promise<PageResult> {
  const label = await request.write((writing) => moveInHistory(writing, request.survey.id, action))
  if (label !== undefined)
    request.flash(`${action === 'undo' ? t('Change undone') : t('Change redone')}: ${restoredText(label)}.`)
  return { redirect: shownPath(request) }
}

/** Returns the path of the builder with the cards that the page of the submitted form showed. */
const shownPath = ({ root, query }: SurveyRequest): string =>
  pathWith(`${root}edit/`, { page: query.get('page') ?? undefined, from: query.get('from') ?? undefined })

function changeOf(request: SurveyRequest, { structure }: WorkingCopy, action: string): Change | undefined {
  const { form, root } = request
  const shown = () => shownPath(request)
  const page = Number(formValue(form, 'page'))
  const id = formValue(form, 'question')
  switch (action) {
    case 'add': {
      const kind = parseKind(formValue(form, 'kind'))
      if (!kind) return undefined
      const added = newQuestionId()
      const operation: Operation = { op: 'add_question', id: added, kind, page }
      const to = pathWith(`${root}edit/question/`, { id: added })
      return { operation, label: labelOfAdded(kind), to: () => to }
    }
    case 'add-page': {
      const at = structure.form.length
      return {
        operation: { op: 'add_page', at },
        label: storedText('Page added'),
        to: (after) => pageAddress(root, after, at),
      }
    }
    case 'page-up':
    case 'page-down':
    case 'move-page': {
      const to = action === 'move-page' ? Number(formValue(form, 'to')) : page + (action === 'page-up' ? -1 : 1)
      if (!structure.form[to]) return undefined
      const label = storedText('Page {page} moved to position {to} of {length}', {
        page: page + 1,
        to: to + 1,
        length: structure.form.length,
      })
      const operation: Operation = { op: 'move_page', page, to }
      return { operation, label, to: (after) => pageAddress(root, after, to), ofPages: true }
    }
    case 'delete-page':
      return { operation: { op: 'delete_page', page }, label: storedText('Page deleted'), to: shown, ofPages: true }
    default:
      return id === undefined ? undefined : questionChangeOf(request, action, id, structure)
  }
}

/**
 * Returns the message about an added question. The message contains the name of the question type, which is translated
 * for each user who reads the message.
 */
const labelOfAdded = (kind: KnownKind): StoredText =>
  storedText('{label} added', {
    label: storedText(inLocale({ language: 'en', timeZone: 'UTC' }, () => kindNameOf(kind)!.label)),
  })

function questionChangeOf(
  request: SurveyRequest,
  action: string,
  id: string,
  structure: WorkingCopy['structure'],
): Change | undefined {
  const { form, root } = request
  const toCard = (after: Structure) => cardAddress(root, after, id)
  const title = cardTitle(findQuestion(structure, id).question, structure, defaultCode(structure)).slice(0, 80)
  switch (action) {
    case 'up':
    case 'down': {
      const operation: Operation = { op: 'shift_question', id, by: action === 'up' ? -1 : 1 }
      const { page, at } = findQuestion(applyOperation(structure, operation), id)
      return {
        operation,
        label:
          action === 'up'
            ? storedText('“{title}” moved up to position {at} of page {page}', { title, at: at + 1, page: page + 1 })
            : storedText('“{title}” moved down to position {at} of page {page}', { title, at: at + 1, page: page + 1 }),
        to: toCard,
      }
    }
    case 'move': {
      // The list of pages contains positions from 0; the field for the number of a page, which replaces a long list,
      // counts from 1.
      const number = formValue(form, 'to-page')
      const page = number === undefined ? Number(formValue(form, 'to')) : Number(number) - 1
      const position = formValue(form, 'at')
      // The script sends the position on the page. A form that is submitted without the script contains no position,
      // and the question is moved to the end of the page.
      const at = position === undefined ? (structure.form[page]?.children.length ?? 0) : Number(position)
      const operation: Operation = { op: 'move_question', id, page, at }
      return {
        operation,
        label: storedText('“{title}” moved to page {value}', { title, value: page + 1 }),
        to: toCard,
      }
    }
    case 'duplicate': {
      const copy = newQuestionId()
      const operation: Operation = { op: 'duplicate_question', id, copy }
      const to = (after: Structure) => cardAddress(root, after, copy)
      return { operation, label: storedText('“{title}” duplicated', { title }), to }
    }
    case 'delete':
      return {
        operation: { op: 'delete_question', id },
        label: storedText('“{title}” deleted', { title }),
        to: () => shownPath(request),
      }
    default:
      return undefined
  }
}

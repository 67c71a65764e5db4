import { can, findAccess } from '../../../domain/group/access.ts'
import { listGroups } from '../../../domain/group/queries.ts'
import { truncateName } from '../../../domain/name.ts'
import { problems } from '../../../domain/problem.ts'
import type { CopyLoss } from '../../../domain/structure/edit/copy-between.ts'
import type { Structure, StructureQuestion } from '../../../domain/structure/structure.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import {
  deleteFromLibrary,
  findInLibrary,
  insertFromLibrary,
  type LibraryQuestion,
  listLibrary,
  renameInLibrary,
  saveToLibrary,
} from '../../../domain/survey/question-library.ts'
import { findWorkingCopy } from '../../../domain/survey/working-copy.ts'
import { type Html, html } from '../../../lib/html.ts'
import { pageOf } from '../../../lib/paging.ts'
import { csrfField } from '../../csrf.ts'
import { alert, type FormErrors, field, fieldErrorsOf, select } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { serializeText, storedText } from '../../i18n/stored-text.ts'
import { t } from '../../i18n/t.ts'
import { pluralize, timeTag } from '../../layout/format.ts'
import { backLink, pager, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { kindNameOf } from '../../questions/index.ts'
import { parseId } from '../../session.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { LOSSES, notesOf, resultPage } from './copy.ts'
import { editMenu } from './menu.ts'
import { renderPreview } from './preview.ts'
import { cardTitle, defaultCode, nameOfPage, shortNameOfPage } from './texts.ts'
import { cardAddress } from './window.ts'

const PAGE_SIZE = 20
/** Maximum number of pages, and of characters of a title, in the menu of places. */
const MAX_LISTED_PAGES = 50
const MAX_TITLE_CHARACTERS = 80

/** Returns the path of the library whose questions are inserted into a page (from 1). */
export const libraryPath = (root: string, page: number, more: { search?: string; number?: number } = {}): string =>
  pathWith(`${root}edit/library/`, { page, ...more })

/** Returns the path of the page that saves a question in the library. */
export const saveToLibraryPath = (root: string, question: string): string =>
  pathWith(`${root}edit/library/save/`, { question })

/** Shows the questions of the library, to insert them into a page of the draft. */
export const showLibrary = (request: SurveyRequest): Promise<PageResult> => libraryPage(request)

async function libraryPage(request: SurveyRequest, rejected?: Rejected): Promise<PageResult> {
  const { context, survey, root, csrf, query, form } = request
  const { structure } = await findWorkingCopy(context, survey.id)
  const page = Number(query.get('page') ?? 1)
  // The first question of a survey without pages is inserted into a new page.
  if (!structure.form[page - 1] && (page !== 1 || structure.form.length > 0)) throw problems.draftChanged()
  const search = query.get('search')?.trim() ?? ''
  const slice = pageOf({ page: Number(query.get('number')) || 1, first: 1, default: PAGE_SIZE, max: PAGE_SIZE })
  const { total, questions } = await listLibrary(context, search, slice)
  const mayInsert = can(await findAccess(context, survey.id), 'Edit')
  const action = pathWith(`${root}edit/library/`, Object.fromEntries(query))
  return request.render({
    title: t('Question library'),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    content: html`<section class="card">
      ${rejected?.entry === undefined && alert(rejected?.general)}
      ${
        total === 0 && search === ''
          ? html`<p>
              The library is empty. To save a question, select <b>More</b> and <b>Save to library…</b> in its card.
            </p>`
          : html`<form method="get" action="${root}edit/library/" class="search" role="search">
              <input type="hidden" name="page" value="${page}">
              <label for="search" class="hidden">Search by name</label>
              <input class="box" id="search" name="search" type="search" value="${search}"
                  placeholder="${t('Search by name')}">
              <button>Search</button>
            </form>
            ${
              mayInsert &&
              html`<form method="post" id="insert" action="${action}">
                ${csrfField(csrf)}
                ${select({
                  name: 'place',
                  label: t('Insert'),
                  value: formValue(form, 'place') ?? String(page),
                  options: placesIn(structure, page),
                })}
              </form>`
            }
            <p class="soft" role="status">${
              total === 0 ? t('No questions match your search.') : pluralize(total, 'question')
            }</p>
            <ul class="rows sides">${questions.map((question) => rowOf(question, request, mayInsert, rejected))}</ul>
            ${pager({
              number: slice.number,
              total,
              size: PAGE_SIZE,
              path: (number) => libraryPath(root, page, { search, number }),
            })}`
      }
    </section>`,
  })
}

/** The errors of a form of the page. */
interface Rejected extends FormErrors {
  /** The question of the library whose new name was rejected. */
  entry?: number
}

/**
 * Returns the places where a question can be inserted, as `page` (from 1) or `page:position` (from 0): all on the given
 * page, and the end of the pages around it.
 */
function placesIn(structure: Structure, page: number): { value: string; label: string }[] {
  const code = defaultCode(structure)
  const first = Math.max(0, page - 1 - MAX_LISTED_PAGES / 2)
  const others = structure.form.slice(first, first + MAX_LISTED_PAGES).map((one, index) => ({
    value: String(first + index + 1),
    label: t('at the end of {page}', { page: shortNameOfPage(one, first + index, code) }),
  }))
  const here = (structure.form[page - 1]?.children ?? []).map((question, index) => ({
    value: `${page}:${index}`,
    label: t('before “{title}”', { title: truncateName(cardTitle(question, structure, code), MAX_TITLE_CHARACTERS) }),
  }))
  return others.length === 0
    ? [{ value: '1', label: t('at the end of {page}', { page: nameOfPage({}, 0, code) }) }]
    : others.flatMap((other) => (other.value === String(page) ? [...here, other] : [other]))
}

function rowOf(saved: LibraryQuestion, request: SurveyRequest, mayInsert: boolean, rejected?: Rejected): Html {
  const { root, csrf, context, query, form } = request
  const { id, name, idname, languages, owner, ownerId, group, createdAt } = saved
  const action = (path: string) => pathWith(path, Object.fromEntries(query))
  const isOwn = ownerId === context.actor.id
  const isRejected = rejected?.entry === id
  const of = html`<span class="hidden"> ${t('“{title}”', { title: name })}</span>`
  return html`<li>
    <div class="grow">
      <strong>${name}</strong>
      <p class="soft">
        ${kindNameOf(idname)?.label ?? t('Other type ({idname})', { idname })} · ${languages.join(', ')} · ${
          isOwn ? t('saved by you') : t('saved by {owner}', { owner })
        }, ${timeTag(createdAt)}${group && html` · ${t('shared with {group}', { group: group.name })}`}
      </p>
      ${
        isOwn &&
        html`<details${isRejected && html` open`}>
          <summary>Rename${of}</summary>
          <form method="post" action="${action(`${root}edit/library/rename/`)}">
            ${csrfField(csrf)}
            <input type="hidden" name="entry" value="${id}">
            ${field({
              name: 'name',
              id: `name-${id}`,
              label: t('Name in the library'),
              value: (isRejected && formValue(form, 'name')) || name,
              errors: isRejected ? rejected.errors : undefined,
            })}
            <button class="small">Save</button>
          </form>
        </details>`
      }
    </div>
    <a class="button quiet small" href="${root}edit/library/${id}/preview/" target="_blank">Preview${of}</a>
    ${mayInsert && html`<button class="small" form="insert" name="entry" value="${id}">Insert${of}</button>`}
    ${
      isOwn &&
      html`<form method="post" action="${action(`${root}edit/library/delete/`)}">
        ${csrfField(csrf)}
        <input type="hidden" name="entry" value="${id}">
        <button class="small danger">Delete${of}</button>
      </form>`
    }
  </li>`
}

/** Shows a question of the library as respondents see it in the theme of the survey. Answers are not stored. */
export async function showLibraryPreview(request: SurveyRequest): Promise<PageResult> {
  const { context, survey, params, root } = request
  const entry = parseId(params.entry)
  const source = await findInLibrary(context, entry)
  const structure = { ...source, title: Object.fromEntries(source.languages.map(({ code }) => [code, survey.name])) }
  const { settings, theme, texts } = await findSnapshot(context, survey.id, ['Edit', 'Test'])
  const action = `${root}edit/library/${entry}/preview/`
  return renderPreview(request, { structure, settings, theme, texts, action })
}

const PLACE = /^(\d{1,6})(?::(\d{1,6}))?$/

/** Inserts a question of the library, and says what was left out. */
export async function insertLibraryEntry(request: SurveyRequest): Promise<PageResult> {
  const { survey, query, form, root } = request
  const entry = parseId(formValue(form, 'entry'))
  const [, page, position] = PLACE.exec(formValue(form, 'place') ?? query.get('page') ?? '1') ?? []
  const place = { page: Number(page) - 1, position: position === undefined ? undefined : Number(position) }
  const label = serializeText(storedText('Question inserted from the library'))
  return formPage(request, {
    fields: (error) => fieldErrorsOf(error, []),
    act: (context) => {
      if (!(place.page >= 0)) throw problems.draftChanged()
      return insertFromLibrary(context, survey.id, entry, place, label)
    },
    view: (rejected) => libraryPage(request, rejected),
    done: ({ source, ...copied }) => {
      const [[original, id]] = [...copied.ids] as [[string, string]]
      const address = cardAddress(root, copied.structure, id)
      const flash = t('Question inserted.')
      const notes = notesOf(copied, { question: original }, source)
      return notes.length === 0 ? { redirect: address, flash } : resultPage(request, flash, address, notes)
    },
  })
}

/** Renames a question that the user saved. */
export async function renameLibraryEntry(request: SurveyRequest): Promise<PageResult> {
  const { form, query, root } = request
  const entry = parseId(formValue(form, 'entry'))
  const name = formValue(form, 'name') ?? ''
  return formPage(request, {
    fields: ['name'],
    act: (context) => renameInLibrary(context, entry, name),
    view: (rejected) => libraryPage(request, { ...rejected, entry }),
    done: () => ({
      redirect: pathWith(`${root}edit/library/`, Object.fromEntries(query)),
      flash: t('Renamed to “{name}”.', { name: name.trim() }),
    }),
  })
}

/** Deletes a question that the user saved. */
export async function deleteLibraryEntry(request: SurveyRequest): Promise<PageResult> {
  const entry = parseId(formValue(request.form, 'entry'))
  await request.write((context) => deleteFromLibrary(context, entry))
  request.flash(t('Deleted from the library. Copies in surveys stay.'))
  return { redirect: pathWith(`${request.root}edit/library/`, Object.fromEntries(request.query)) }
}

/** Asks under which name, and for which group, a question is saved. */
export const showSaveToLibrary = (request: SurveyRequest): Promise<PageResult> => savePage(request)

async function savePage(request: SurveyRequest, rejected?: FormErrors): Promise<PageResult> {
  const { context, root, csrf, query, form } = request
  const title = await titleIn(request)
  const groups = await listGroups(context)
  return request.render({
    title: t('Save to library'),
    side: editMenu(request, 'questions', true),
    beforeHeading: backLink(`${root}edit/`, t('All questions')),
    content: html`<section class="card">
      <p>${t('Saves a copy of “{title}”, which you can insert into every survey that you may edit.', { title })}</p>
      <p class="soft">What needs other questions of this survey is left out. You see what.</p>
      ${alert(rejected?.general)}
      <form method="post" action="${pathWith(`${root}edit/library/save/`, Object.fromEntries(query))}">
        ${csrfField(csrf)}
        ${field({
          name: 'name',
          label: t('Name in the library'),
          value: rejected ? (formValue(form, 'name') ?? '') : truncateName(title),
          errors: rejected?.errors,
        })}
        ${select({
          name: 'group',
          label: t('Who can insert it'),
          value: formValue(form, 'group') ?? '',
          options: [
            { value: '', label: t('only you') },
            ...groups.map(({ id, name }) => ({ value: id, label: t('you and the group “{name}”', { name }) })),
          ],
          errors: rejected?.errors,
        })}
        <button class="primary">Save to library</button>
      </form>
    </section>`,
  })
}

/** Returns the title of the question that the query names. */
async function titleIn({ context, survey, query }: SurveyRequest): Promise<string> {
  const { structure } = await findWorkingCopy(context, survey.id)
  const id = query.get('question')
  const question = structure.form
    .flatMap(({ children }): readonly StructureQuestion[] => children)
    .find((each) => each.id === id)
  if (!question) throw problems.questionNotFound()
  return cardTitle(question, structure, defaultCode(structure))
}

/** Saves a question in the library, and says what was left out. */
export async function saveLibraryEntry(request: SurveyRequest): Promise<PageResult> {
  const { survey, query, form, root } = request
  const title = await titleIn(request)
  const group = formValue(form, 'group') ?? ''
  return formPage(request, {
    fields: (error) => fieldErrorsOf(error, ['name', 'group']),
    act: (context) =>
      saveToLibrary(context, survey.id, query.get('question')!, {
        name: formValue(form, 'name'),
        group: group === '' ? undefined : parseId(group),
      }),
    view: (rejected) => savePage(request, rejected),
    done: async ({ saved, losses }) => {
      const { structure } = await findWorkingCopy(request.context, survey.id)
      const address = cardAddress(root, structure, query.get('question')!)
      const flash = t('Saved “{name}” to the library.', { name: saved.name })
      return losses.length === 0
        ? { redirect: address, flash }
        : resultPage(request, flash, address, sentencesOf(losses, title), t('Back to the question'))
    },
  })
}

const sentencesOf = (losses: readonly CopyLoss[], title: string): string[] =>
  losses.map((what) => t('Not saved with “{title}”: {what}.', { title, what: LOSSES()[what] }))

import { countAnswers } from '../../../domain/response/coding/answers.ts'
import {
  type Category,
  createCategory,
  deleteCategory,
  listCategories,
  updateCategory,
} from '../../../domain/response/coding/categories.ts'
import { type CodingRound, closeRound, listRounds, openRound } from '../../../domain/response/coding/rounds.ts'
import { applyRule, type CodingRule, createRule, deleteRule, listRules } from '../../../domain/response/coding/rules.ts'
import { type Html, html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { option } from '../../filter/form.ts'
import { confirmPage } from '../../forms/confirm.ts'
import { alert, type FormErrors, field, fieldErrorsOf, labelled } from '../../forms/field.ts'
import { formValue } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { formatNumber, pluralize, timeTag } from '../../layout/format.ts'
import { backLink, pathWith } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { parseId } from '../../session.ts'
import { type ResponsesRequest, readResponsesRequest } from '../responses/frame.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { fieldTitle, questionOptions, swatch } from './answers.ts'

const framePath = ({ listPath }: ResponsesRequest): string => `${listPath}coding/frame/`

/** Which form of the page was rejected, with what the user entered. */
interface Rejected extends FormErrors {
  form: 'category' | 'rule' | number
  /** The number of answers that a rule would match, if it was only to be counted. */
  preview?: string
}

/** Shows the categories, the rules and the rounds of a survey, with forms that change them. */
export const showFrame = async (request: SurveyRequest): Promise<PageResult> =>
  framePage(await readResponsesRequest(request))

async function framePage(page: ResponsesRequest, rejected?: Rejected): Promise<PageResult> {
  const { context, survey } = page
  const [categories, rules, rounds] = await Promise.all([
    listCategories(context, survey.id),
    listRules(context, survey.id),
    listRounds(context, survey.id),
  ])
  return page.render({
    title: t('Coding frame'),
    beforeHeading: backLink(`${page.listPath}coding/`, t('Coding')),
    content: html`
      <section class="card" aria-labelledby="categories">
        <h2 id="categories">Categories</h2>
        ${
          categories.length > 0 &&
          html`<ul class="rows">${categories.map((category) => categoryView(page, category, rejected))}</ul>`
        }
        ${page.may('Correct') && categoryForm(page, rejected)}
      </section>
      ${categories.length > 0 && rulesView(page, categories, rules, rejected)}
      ${roundsView(page, rounds)}`,
  })
}

function categoryView(page: ResponsesRequest, category: Category, rejected: Rejected | undefined): Html {
  const { id, name, description, colour, answers } = category
  const path = `${framePath(page)}categories/${id}/`
  const errors = rejected?.form === id ? rejected.errors : undefined
  return html`<li>
    <div class="line">
      <h3>${swatch(colour)}${name}</h3>
      <a href="${pathWith(`${page.listPath}coding/`, { category: id })}">${pluralize(answers, 'answer')}</a>
    </div>
    ${description && html`<p class="soft">${description}</p>`}
    ${
      page.may('Correct') &&
      html`<details class="fold"${errors && html` open`}>
        <summary>Edit <span class="hidden">${name}</span></summary>
        <form method="post" action="${path}">
          ${csrfField(page.csrf)}
          ${field({ name: 'name', id: `name-${id}`, label: t('Name'), value: name, required: true, errors })}
          ${field({
            name: 'description',
            id: `description-${id}`,
            label: t('When the category fits'),
            value: description,
            errors,
          })}
          ${field({ name: 'colour', id: `colour-${id}`, label: t('Colour'), type: 'color', value: colour, errors })}
          <div class="button-row">
            <button class="small">Save</button>
            <a class="button danger small" href="${path}delete/">Delete…</a>
          </div>
        </form>
      </details>`
    }
  </li>`
}

function categoryForm(page: ResponsesRequest, rejected: Rejected | undefined): Html {
  const errors = rejected?.form === 'category' ? rejected.errors : undefined
  const entered = (name: string) => (errors ? (formValue(page.form, name) ?? '') : '')
  return html`<form method="post" action="${framePath(page)}categories/">
    ${csrfField(page.csrf)}
    <h3>New category</h3>
    ${rejected?.form === 'category' && alert(rejected.general)}
    ${field({ name: 'name', label: t('Name'), value: entered('name'), required: true, errors })}
    ${field({ name: 'description', label: t('When the category fits'), value: entered('description'), errors })}
    <button class="primary small">Create category</button>
  </form>`
}

function rulesView(
  page: ResponsesRequest,
  categories: readonly Category[],
  rules: readonly CodingRule[],
  rejected: Rejected | undefined,
): Html {
  const names = new Map(categories.map(({ id, name }) => [id, name]))
  const { snapshot, textContext, form } = page
  const isRejected = rejected?.form === 'rule'
  const errors = isRejected ? rejected.errors : undefined
  const entered = (name: string) => (isRejected ? (formValue(form, name) ?? '') : (page.query.get(name) ?? ''))
  const ruleView = ({ id, contains, question, category, appliesToNew, applied }: CodingRule) => {
    const asked = question === null ? undefined : snapshot.questionnaire.byKey.get(question)
    const path = `${framePath(page)}rules/${id}/`
    return html`<li>
      <p>
        “${contains}” → <strong>${names.get(category)}</strong>
        <span class="soft">
          · ${asked ? fieldTitle(asked, textContext) : (question ?? t('All questions'))} ·
          ${appliesToNew ? t('also new answers') : t('only on demand')}${!applied && html` · ${t('is being applied')}`}
        </span>
      </p>
      ${
        page.may('Correct') &&
        html`<div class="row-actions">
          <form method="post" action="${path}apply/">
            ${csrfField(page.csrf)}
            <button class="small" aria-label="Apply to all answers: ${contains}">Apply to all answers</button>
          </form>
          <form method="post" action="${path}delete/">
            ${csrfField(page.csrf)}
            <button class="danger small" aria-label="Delete ${contains}">Delete</button>
          </form>
        </div>`
      }
    </li>`
  }
  return html`<section class="card" aria-labelledby="rules">
    <h2 id="rules">Rules</h2>
    <p class="soft">A rule puts answers that contain a text into a category. Rules run in the background.</p>
    ${rules.length > 0 && html`<ul class="rows">${rules.map(ruleView)}</ul>`}
    ${
      page.may('Correct') &&
      html`<form method="post" action="${framePath(page)}rules/">
        ${csrfField(page.csrf)}
        <h3>New rule</h3>
        ${isRejected && rejected.preview && html`<p role="status"><strong>${rejected.preview}</strong></p>`}
        ${isRejected && alert(rejected.general)}
        ${field({
          name: 'text',
          label: t('Text that the answer contains'),
          value: entered('text'),
          required: true,
          errors,
          attributes: html` maxlength="200"`,
        })}
        ${labelled(
          { name: 'question', label: t('Question'), errors },
          () =>
            html`<select class="box" id="question" name="question">
              ${questionOptions(page, entered('question') || undefined)}
            </select>`,
        )}
        ${labelled(
          { name: 'category', label: t('Category'), errors },
          () =>
            html`<select class="box" id="category" name="category">
              ${categories.map(({ id, name }) => option(String(id), name, String(id) === entered('category')))}
            </select>`,
        )}
        <fieldset class="checks">
          <legend>Apply to</legend>
          <label>
            <input type="checkbox" name="apply" value="1"${(!isRejected || entered('apply')) && html` checked`}>
            <span>Answers that exist</span>
          </label>
          <label>
            <input type="checkbox" name="new" value="1"${entered('new') && html` checked`}>
            <span>Answers that are submitted or edited later</span>
          </label>
        </fieldset>
        <div class="button-row">
          <button class="small">Create rule</button>
          <button class="small" name="preview" value="1">Count matching answers</button>
        </div>
      </form>`
    }
  </section>`
}

function roundsView(page: ResponsesRequest, rounds: readonly CodingRound[]): Html {
  const isOwner = page.may('Owner')
  const openOne = rounds.find(({ closedAt }) => closedAt === null)
  const roundView = ({ id, openedAt, closedAt, coders }: CodingRound) => html`<li>
    <p>
      ${
        closedAt
          ? html`<a href="${page.listPath}coding/rounds/${id}/">Agreement of the round of ${timeTag(openedAt)}</a>`
          : html`<strong>Open since ${timeTag(openedAt)}</strong>`
      }
    </p>
    <p class="soft">
      ${
        coders.length === 0
          ? t('Nobody has coded yet.')
          : coders
              .map(({ username, answers }) => `${username ?? t('Deleted account')}: ${formatNumber(answers)}`)
              .join(' · ')
      }
    </p>
  </li>`
  return html`<section class="card" aria-labelledby="rounds">
    <h2 id="rounds">Blind rounds</h2>
    <p class="soft">
      In a round, several coders code the same answers, and see only their own coding until the owner closes it. Then
      the page shows how far they agree. Colleagues who may view and edit responses can code.
    </p>
    ${rounds.length > 0 && html`<ul class="rows">${rounds.map(roundView)}</ul>`}
    ${
      isOwner &&
      (openOne
        ? html`<form method="post" action="${framePath(page)}rounds/${openOne.id}/close/">
          ${csrfField(page.csrf)}
          ${labelled(
            { name: 'adopt', label: t('Add to the coding of the survey') },
            () =>
              html`<select class="box" id="adopt" name="adopt">
                ${option('agreed', t('What all coders of an answer have in common'), true)}
                ${option('any', t('What any coder chose'))}
                ${option('nothing', t('Nothing'))}
              </select>`,
          )}
          <button class="primary small">Close the round</button>
        </form>`
        : html`<form method="post" action="${framePath(page)}rounds/">
          ${csrfField(page.csrf)}
          <button class="small">Open a blind round</button>
        </form>`)
    }
  </section>`
}

const fieldsOf = ({ form }: SurveyRequest) => ({
  name: formValue(form, 'name') ?? '',
  description: (formValue(form, 'description') ?? '').slice(0, 1_000),
})

const COLOUR = /^#[0-9a-f]{6}$/i

export async function saveNewCategory(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  return formPage(request, {
    fields: ['name', 'description'],
    act: (context) => createCategory(context, request.survey.id, fieldsOf(request)),
    view: (errors) => framePage(page, { ...errors, form: 'category' }),
    done: ({ name }) => ({ redirect: framePath(page), flash: t('Category “{name}” created.', { name }) }),
  })
}

export async function saveCategory(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const id = parseId(request.params.category)
  const colour = formValue(request.form, 'colour') ?? ''
  return formPage(request, {
    fields: ['name', 'description', 'colour'],
    act: (context) =>
      updateCategory(context, request.survey.id, id, {
        ...fieldsOf(request),
        ...(COLOUR.test(colour) && { colour }),
      }),
    view: (errors) => framePage(page, { ...errors, form: id }),
    done: () => ({ redirect: framePath(page), flash: t('Category saved.') }),
  })
}

/** Asks for confirmation before a category is deleted. */
export async function confirmDeleteCategory(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const id = parseId(request.params.category)
  const category = (await listCategories(page.context, request.survey.id)).find((each) => each.id === id)
  return confirmPage(request, {
    title: t('Delete this category?'),
    beforeHeading: backLink(framePath(page), t('Coding frame')),
    text: t('This takes {answers} out of the category “{name}”, and deletes its rules. You cannot undo this.', {
      answers: pluralize(category?.answers ?? 0, 'answer'),
      name: category?.name ?? '',
    }),
    button: t('Delete category'),
    cancel: { label: t('Cancel'), path: framePath(page) },
  })
}

export async function removeCategory(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  await request.write((context) => deleteCategory(context, request.survey.id, parseId(request.params.category)))
  request.flash(t('Category deleted.'))
  return { redirect: framePath(page) }
}

/** Creates a rule, or only counts the answers that it would match. */
export async function saveRule(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const value = (name: string) => formValue(request.form, name)?.trim() || undefined
  const contains = value('text')?.slice(0, 200)
  const question = value('question')
  if (value('preview') !== undefined && contains !== undefined) {
    const { count, complete } = await countAnswers(page.context, request.survey.id, { contains, question })
    const preview = complete
      ? t('{answers} match.', { answers: pluralize(count, 'answer') })
      : t('At least {answers} match.', { answers: pluralize(count, 'answer') })
    return framePage(page, { form: 'rule', errors: new Map(), general: undefined, preview })
  }
  return formPage(request, {
    fields: ruleErrors,
    act: (context) =>
      createRule(context, request.survey.id, {
        contains: contains ?? '',
        question,
        category: Number(value('category')) || 0,
        appliesToNew: value('new') === '1',
        apply: value('apply') === '1',
      }),
    view: (errors) => framePage(page, { ...errors, form: 'rule' }),
    done: () => ({ redirect: framePath(page), flash: t('Rule created.') }),
  })
}

/** Returns the errors of the form of a rule. Its field `text` is the member `contains` of a rule. */
function ruleErrors(error: unknown): FormErrors {
  const { errors, general } = fieldErrorsOf(error, ['contains', 'question', 'category'])
  return { errors: new Map([...errors].map(([name, text]) => [name === 'contains' ? 'text' : name, text])), general }
}

export async function applyRulePage(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  await request.write((context) => applyRule(context, request.survey.id, parseId(request.params.rule)))
  request.flash(t('The rule is being applied in the background.'))
  return { redirect: framePath(page) }
}

export async function removeRule(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  await request.write((context) => deleteRule(context, request.survey.id, parseId(request.params.rule)))
  request.flash(t('Rule deleted.'))
  return { redirect: framePath(page) }
}

export async function openRoundPage(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  await request.write((context) => openRound(context, request.survey.id))
  request.flash(t('Round opened. Everybody now sees only their own coding.'))
  return { redirect: framePath(page) }
}

const ADOPTED = ['agreed', 'any', 'nothing'] as const

export async function closeRoundPage(request: SurveyRequest): Promise<PageResult> {
  const page = await readResponsesRequest(request)
  const adopt = ADOPTED.find((value) => value === formValue(request.form, 'adopt'))
  const id = parseId(request.params.round)
  await request.write((context) => closeRound(context, request.survey.id, id, adopt))
  request.flash(t('Round closed.'))
  return { redirect: `${page.listPath}coding/rounds/${id}/` }
}

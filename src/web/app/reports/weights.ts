import { Problem } from '../../../domain/problem.ts'
import {
  findWeighting,
  MAX_WEIGHT_QUESTIONS,
  removeWeighting,
  saveWeighting,
  type WeightingState,
} from '../../../domain/report/weights.ts'
import type { Field, Questionnaire } from '../../../domain/structure/questionnaire.ts'
import { findSnapshot } from '../../../domain/survey/queries.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { alert } from '../../forms/field.ts'
import { formValue, formValues } from '../../forms/form-fields.ts'
import { formPage } from '../../forms/form-page.ts'
import { t } from '../../i18n/t.ts'
import { dateTag, formatNumber } from '../../layout/format.ts'
import { backLink } from '../../layout/parts.ts'
import type { PageResult } from '../../page.ts'
import { fieldText } from '../../report/cross-table.ts'
import { type Localize, localizerFor } from '../../report/localize.ts'
import { countText, meanText } from '../../report/plot.ts'
import type { SurveyRequest } from '../surveys/survey-page.ts'
import { reportsPath } from './frame.ts'

const QUESTION = 'question'
/** The beginning of the name of the field with the target of a choice: `target-<key>-<index>`. */
const TARGET = 'target-'
const MIN = 'min'
const MAX = 'max'

/** Shows the weights of the survey, and the form that computes them. */
export const showWeights = (request: SurveyRequest): Promise<PageResult> =>
  weightsPage(request, { chosen: request.query.getAll(`view-${QUESTION}`), value: () => '', general: undefined })

interface Draft {
  /** Keys of the chosen questions. */
  chosen: readonly string[]
  /** Returns what the user entered in a field. */
  value(name: string): string
  general: string | undefined
}

async function weightsPage(request: SurveyRequest, draft: Draft): Promise<PageResult> {
  const { context, survey } = request
  const { questionnaire: q } = await findSnapshot(context, survey.id, 'View')
  const localize = localizerFor(q, undefined)
  const state = await findWeighting(context, survey.id).catch((error) => {
    if (error instanceof Problem && error.code === 'weighting_not_found') return undefined
    throw error
  })
  const fields = weightable(q)
  const keys = draft.chosen.filter(Boolean)
  const chosen = fields.filter(({ key }) => keys.includes(key)).slice(0, MAX_WEIGHT_QUESTIONS)
  return request.render(
    {
      title: t('Weights'),
      beforeHeading: backLink(reportsPath(request), t('All reports')),
      content: html`
        ${alert(draft.general)}
        ${state && stateView(request, state, localize)}
        ${
          request.may('Correct') &&
          (chosen.length > 0
            ? targetsForm(request, chosen, { draft, state, localize })
            : questionsForm(request, fields, localize))
        }`,
    },
    draft.general === undefined ? 200 : 422,
  )
}

/** Returns the fields for which a response has one choice. */
const weightable = ({ fields }: Questionnaire): Field[] =>
  fields.filter(({ type, choices }) => choices.length > 1 && ['single', 'boolean', 'number'].includes(type))

function questionsForm(request: SurveyRequest, fields: readonly Field[], localize: Localize): Html {
  if (fields.length === 0) return html`<p class="card">This survey has no questions with one choice.</p>`
  return html`<form method="get" action="${reportsPath(request)}weights/" class="card report-form">
    <h2>Compute weights</h2>
    <p>
      Choose up to five questions whose true shares you know, such as sex, age group or region. In the next step, you
      enter the shares.
    </p>
    <fieldset>
      <legend>Questions</legend>
      ${fields.map(
        (field) =>
          html`<label class="check-label">
            <input type="checkbox" name="view-${QUESTION}" value="${field.key}"> ${fieldText(field, localize)}
          </label>`,
      )}
    </fieldset>
    <button class="primary">Next</button>
  </form>`
}

interface TargetOptions {
  draft: Draft
  state: WeightingState | undefined
  localize: Localize
}

function targetsForm(
  request: SurveyRequest,
  fields: readonly Field[],
  { draft, state, localize }: TargetOptions,
): Html {
  const stored = (field: Field, uid: number) =>
    state?.weighting.questions.find(({ key }) => key === field.storedKey)?.classes.find((one) => one.uid === uid)
      ?.target
  const shown = (field: Field, index: number, uid: number): string => {
    const share = stored(field, uid)
    return (
      draft.value(targetName(field, index)) || (share === undefined ? '' : String(Math.round(share * 10_000) / 100))
    )
  }
  const number = (name: string, label: string, value: string) =>
    html`<div>
      <label for="${name}">${label}</label>
      <input class="box" type="number" step="any" min="0" max="100" id="${name}" name="${name}" value="${value}">
    </div>`
  return html`<form method="post" action="${reportsPath(request)}weights/" class="card">
    ${csrfField(request.csrf)}
    <h2>Target shares in percent</h2>
    <p class="soft">The shares of each question add up to 100. Leave a choice blank to weight it as it is.</p>
    ${fields.map(
      (field) =>
        html`<fieldset class="plain">
          <legend>${fieldText(field, localize)}</legend>
          <input type="hidden" name="${QUESTION}" value="${field.key}">
          <div class="form-row">
            ${field.choices.map(({ index, uid, label }) =>
              number(targetName(field, index), localize(label) || String(index), shown(field, index, uid)),
            )}
          </div>
        </fieldset>`,
    )}
    <fieldset class="plain">
      <legend>Limits of the weights</legend>
      <div class="form-row">
        ${number(MIN, t('Smallest'), draft.value(MIN) || String(state?.weighting.min ?? 0.2))}
        ${number(MAX, t('Largest'), draft.value(MAX) || String(state?.weighting.max ?? 5))}
      </div>
    </fieldset>
    <div class="actions">
      <button class="primary">Compute weights</button>
      <a class="button plain" href="${reportsPath(request)}weights/">Cancel</a>
    </div>
  </form>`
}

const targetName = ({ key }: Field, index: number): string => `${TARGET}${key}-${index}`

/** Computes and stores the weights. */
export async function saveWeights(request: SurveyRequest): Promise<PageResult> {
  const { form, survey, context } = request
  const { questionnaire: q } = await findSnapshot(context, survey.id, 'View')
  const chosen = formValues(form, QUESTION)
  const value = (name: string) => formValue(form, name)?.trim() ?? ''
  const questions = weightable(q)
    .filter(({ key }) => chosen.includes(key))
    .map((field) => ({
      question: field.key,
      targets: field.choices.flatMap(({ index }) => {
        const text = value(targetName(field, index))
        return text === '' ? [] : { choice: String(index), percentage: Number(text) || 0 }
      }),
    }))
  return formPage(request, {
    fields: [],
    act: (write) =>
      saveWeighting(write, survey.id, {
        questions: questions.slice(0, MAX_WEIGHT_QUESTIONS),
        minWeight: Number(value(MIN)) || 0,
        maxWeight: Number(value(MAX)) || 0,
      }),
    view: ({ general }) => weightsPage(request, { chosen, value, general: general ?? '' }),
    done: ({ weighting: { basis } }) => ({
      redirect: `${reportsPath(request)}weights/`,
      flash: basis.converged ? t('Weights computed.') : t('Weights computed. They do not reach all targets.'),
    }),
  })
}

export async function deleteWeights(request: SurveyRequest): Promise<PageResult> {
  await request.write((context) => removeWeighting(context, request.survey.id))
  request.flash(t('Weights deleted.'))
  return { redirect: `${reportsPath(request)}weights/` }
}

function stateView(request: SurveyRequest, state: WeightingState, localize: Localize): Html {
  const { weighting, isCurrent, responses, questionnaire: q } = state
  const { basis, questions, min, max } = weighting
  const percent = (share: number) => `${formatNumber(share * 100, { maximumFractionDigits: 1 })}%`
  const added = responses - basis.n
  const chosen = questions.flatMap(({ key }) => q.fields.find(({ storedKey }) => storedKey === key) ?? [])
  const again = chosen.map(({ key }) => `view-${QUESTION}=${encodeURIComponent(key)}`).join('&')
  return html`<section class="card" aria-labelledby="state">
    <h2 id="state">Weights of the responses</h2>
    <p>
      ${
        isCurrent
          ? html`The weights are up to date: no response has changed since ${dateTag(new Date(basis.at))}.`
          : html`<strong>The weights are not up to date.</strong> Responses have changed since
              ${dateTag(new Date(basis.at))}.
              New responses have the weight of their answers; compute the weights again to reach the targets.`
      }
      ${added > 0 && t('{value} more complete responses than then.', { value: countText(added) })}
    </p>
    <ul>
      <li>
        ${t('{value} complete responses, effective number {effective} (Kish)', {
          value: countText(basis.n),
          effective: meanText(basis.effectiveN),
        })}
      </li>
      <li>
        ${t('Weights from {smallest} to {largest}, limits {min} and {max}; {trimmed} responses at a limit', {
          ...{ smallest: meanText(basis.smallest), largest: meanText(basis.largest) },
          ...{ min: meanText(min), max: meanText(max), trimmed: countText(basis.trimmed) },
        })}
      </li>
      <li>
        ${
          basis.converged
            ? t('All targets reached; iterations: {value}', { value: countText(basis.iterations) })
            : t(
                'Targets not reached: the largest difference is {value} percentage points after {iterations} iterations',
                {
                  value: meanText(basis.largestDifference * 100),
                  iterations: countText(basis.iterations),
                },
              )
        }
      </li>
    </ul>
    ${chosen.map((field) => {
      const { classes } = questions.find(({ key }) => key === field.storedKey)!
      const title = fieldText(field, localize)
      return html`<div class="data-table" tabindex="0" role="region" aria-label="${t('Weights: {title}', { title })}">
        <table class="cross-table">
          <thead>
            <tr>
              <th scope="col">${title}</th>
              <th scope="col">Responses</th>
              <th scope="col">Target</th>
              <th scope="col">Weighted</th>
            </tr>
          </thead>
          <tbody>
            ${classes.map((one) => {
              const choice = field.choices.find(({ uid }) => uid === one.uid)
              return html`<tr>
                <th scope="row">${choice ? localize(choice.label) || choice.index : t('removed choice')}</th>
                <td>${percent(one.share)}</td><td>${percent(one.target)}</td><td>${percent(one.weightedShare)}</td>
              </tr>`
            })}
          </tbody>
        </table>
      </div>`
    })}
    <p class="soft">
      Files for statistics programs have the weights as the variable response_weight. Cross-tables use them if you
      choose so.
    </p>
    ${request.may('Correct') && actionsView(request, again)}
  </section>`
}

const actionsView = (request: SurveyRequest, again: string): Part =>
  html`<form method="post" action="${reportsPath(request)}weights/delete/" class="actions">
    ${csrfField(request.csrf)}
    <a class="button" href="${reportsPath(request)}weights/?${again}">Compute again…</a>
    <button class="danger">Delete weights</button>
  </form>`

import { Problem } from '../../domain/problem.ts'
import { type ComparedField, type Comparison, compareGroups, type GroupCell } from '../../domain/report/groups.ts'
import { columnLetter, type MeanSummary } from '../../domain/report/significance.ts'
import type { NamedQuery } from '../../domain/response/filter/saved-filters.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { conditionTexts, filterName } from '../filter/chips.ts'
import { findFilterField } from '../filter/fields.ts'
import { BASE_PARAMETER, formatFilter } from '../filter/list-query.ts'
import { alert, errorSentence } from '../forms/field.ts'
import { errorText } from '../i18n/error-texts.ts'
import { t } from '../i18n/t.ts'
import { weightsField } from './cross-table.ts'
import { csvFile, fileName, type TableFile } from './downloads.ts'
import { type Localize, localizerFor } from './localize.ts'
import { countText, effectiveText, meanText, percentText, scoreText } from './plot.ts'
import { filterPageOf, isWeighted, type ReportRequest, reportPath, responseSearch } from './report-request.ts'

/** The path of the page, relative to the report. */
export const GROUPS_PATH = 'groups/'

/** What the URL of the page chooses. */
export interface GroupChoice {
  /** The response key of a question whose choices are the groups. */
  by: string | null
  /** The filters of further groups, as query strings. */
  groups: readonly string[]
  previous: boolean
}

/** Reads the choice in the query of the page. */
export const readGroups = (query: URLSearchParams): GroupChoice => ({
  by: query.get('view-by') || null,
  groups: query.getAll('view-group'),
  previous: query.has('view-previous'),
})

/** Renders the form and, if groups are chosen, their figures side by side. */
export async function groupsContent(
  report: ReportRequest,
  snapshot: SurveySnapshot,
  choice: GroupChoice,
  saved: readonly NamedQuery[],
): Promise<{ content: Html; status: number }> {
  const localize = localizerFor(snapshot.questionnaire, report.listQuery.language)
  const form = formView(report, snapshot, { choice, saved })
  if (!choice.by && choice.groups.length === 0 && !choice.previous) return { content: form, status: 200 }
  try {
    const compared = await comparisonFor(report, snapshot, choice)
    return { content: html`${form}${comparisonView(report, compared, choice, localize)}`, status: 200 }
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error
    const names: Record<string, string> = { group: t('Groups'), previous_period: t('Period before') }
    const texts = error.errors.map((one) => errorSentence(names[one.field] ?? one.field, errorText(one)))
    return { content: html`${form}${alert(texts.join(' '))}`, status: 422 }
  }
}

interface Compared extends Comparison {
  labels: readonly string[]
}

async function comparisonFor(report: ReportRequest, snapshot: SurveySnapshot, choice: GroupChoice): Promise<Compared> {
  const { context, survey, design, listQuery } = report
  const { textContext } = filterPageOf(report, snapshot)
  const { values = [] } = (choice.by && findFilterField(snapshot, choice.by, textContext)) || {}
  const queries = [
    ...values.map(({ value }) => `${encodeURIComponent(choice.by!)}=${encodeURIComponent(value)}`),
    ...choice.groups,
  ]
  const groups = { queries, previous: choice.previous, weighted: isWeighted(report) }
  const comparison = await compareGroups(context, survey.id, design, responseSearch(listQuery), groups)
  const labels = comparison.groups.map(({ query }, index) => {
    const byChoice = values[index]?.label
    if (byChoice !== undefined) return byChoice
    if (query === undefined) return t('Period before')
    const name = new URLSearchParams(query).get('filter')
    if (name !== null) return filterName(name)
    return conditionTexts(snapshot, query, textContext).join('; ') || t('All responses of the report')
  })
  return { ...comparison, labels }
}

function formView(
  report: ReportRequest,
  snapshot: SurveySnapshot,
  { choice, saved }: { choice: GroupChoice; saved: readonly NamedQuery[] },
): Html {
  const { textContext } = filterPageOf(report, snapshot)
  const { language } = report.listQuery
  const fields = snapshot.questionnaire.fields.filter(({ choices, type }) => choices.length > 0 && type !== 'ranking')
  const box = (name: string, value: string, label: string, checked: boolean) =>
    html`<label class="check-label">
      <input type="checkbox" name="${name}" value="${value}"${checked && html` checked`}> ${label}
    </label>`
  return html`<form method="get" action="${report.basePath}${GROUPS_PATH}" class="form-row" aria-label="Groups">
    <input type="hidden" name="${BASE_PARAMETER}" value="${formatFilter(report.listQuery)}">
    ${language && html`<input type="hidden" name="view-language" value="${language}">`}
    <div class="wide">
      <label for="by">Groups by the answer to</label>
      <select class="box" id="by" name="view-by">
        <option value="">No question</option>
        ${fields.map(
          ({ key }) =>
            html`<option value="${key}"${key === choice.by && html` selected`}>
              ${findFilterField(snapshot, key, textContext)?.label ?? key}
            </option>`,
        )}
      </select>
    </div>
    <fieldset class="wide">
      <legend>And by filters</legend>
      <div class="choices">
        ${saved.map(({ name }) => {
          const query = new URLSearchParams({ filter: name }).toString()
          return box('view-group', query, name, choice.groups.includes(query))
        })}
        ${box('view-group', '', t('All responses of the report'), choice.groups.includes(''))}
        ${box('view-previous', '1', t('Period before, of the same length'), choice.previous)}
      </div>
    </fieldset>
    ${weightsField(report, snapshot.weighting !== null)}
    <button class="primary">Compare</button>
  </form>`
}

function comparisonView(report: ReportRequest, compared: Compared, choice: GroupChoice, localize: Localize): Html {
  const { groups, questions } = compared
  const weights = groups.flatMap(({ weighted }) => weighted ?? [])
  const overlapping = groups.some(({ overlaps }) => overlaps.length > 0)
  return html`
    <section class="card">
      <h2 id="groups">Groups</h2>
      <div class="data-table" tabindex="0" role="region" aria-labelledby="groups">
        <table class="cross-table">
          <thead>${headView(compared)}</thead>
          <tbody>
            <tr><th scope="row">Responses</th>${groups.map(({ n }) => html`<td>${countText(n)}</td>`)}</tr>
            ${
              weights.length > 0 &&
              html`<tr>
                <th scope="row">Effective number</th>${weights.map((base) => html`<td>${effectiveText(base)}</td>`)}
              </tr>`
            }
          </tbody>
        </table>
      </div>
      <p class="soft">
        A letter marks a share or mean that is significantly higher than in the group with that letter (95%, two-sided,
        Bonferroni correction; shares: z-test, means: Welch’s t-test). Groups with few responses are not compared.
      </p>
      ${
        weights.length > 0 &&
        html`<p class="soft">
          Percentages, means, medians, ranks, scores and tests are weighted; numbers of responses are not. Tests and
          intervals use the effective number of responses (Kish).
        </p>`
      }
      ${
        overlapping &&
        html`<p class="soft">
          Groups that share responses are not compared: ${groups
            .flatMap(({ overlaps }, index) =>
              overlaps.filter((other) => other > index).map((other) => `${columnLetter(index)}–${columnLetter(other)}`),
            )
            .join(', ')}.
        </p>`
      }
      <p class="downloads"><a href="${groupsPath(report, 'numbers.csv', choice)}" download>Download CSV</a></p>
    </section>
    ${questions.map(
      ({ question, answered, fields }, index) =>
        html`<section class="card" aria-labelledby="question-${index}">
          <h2 id="question-${index}" lang="${localize.language}">${localize(question.title) || question.id}</h2>
          ${
            answered.every((count) => count === 0)
              ? html`<p class="soft">No answers</p>`
              : fields.filter(({ field }) => !field.part).map((field) => fieldView(field, compared, localize))
          }
        </section>`,
    )}`
}

/** @param labels the heading of each group @param name the heading of the rows */
const headView = ({ labels }: Compared, name = ''): Html =>
  html`<tr>
    <td>${name}</td>
    ${labels.map(
      (label, index) => html`<th scope="col">${label} <span class="letter">${columnLetter(index)}</span></th>`,
    )}
  </tr>`

const marks = (lower: readonly number[]): Part =>
  lower.length > 0 && html` <strong class="letter">${lower.map(columnLetter).join(' ')}</strong>`

function fieldView(compared: ComparedField, all: Compared, localize: Localize): Html {
  const { field, answered, weighted, choices, means, scores } = compared
  const name = field.row ? localize(field.row.label) : field.type === 'other' ? t('Other answers') : ''
  const cell = ({ count, percentage, lower, meanRank }: GroupCell) =>
    html`<td>
      ${percentText(percentage)}${marks(lower)}
      <br>
      <span class="soft">
        ${countText(count)}${meanRank !== undefined && t(', mean rank {value}', { value: meanText(meanRank) })}
      </span>
    </td>`
  const row = (label: string, cells: readonly Part[]) =>
    html`<tr><th scope="row">${label}</th>${cells.map((one) => html`<td>${one}</td>`)}</tr>`
  const title = [localize(field.question.title) || field.question.id, name].filter(Boolean).join(': ')
  return html`<div class="data-table" tabindex="0" role="region" aria-label="${t('Groups: {title}', { title })}">
    <table class="cross-table">
      <thead>${headView(all, name)}</thead>
      <tbody>
        ${choices.map(
          ({ choice, isRemoved, cells }) =>
            html`<tr>
              <th scope="row">
                ${isRemoved ? t('{label} (removed)', { label: localize(choice.label) }) : localize(choice.label)}
              </th>
              ${cells.map(cell)}
            </tr>`,
        )}
      </tbody>
      <tfoot>
        ${row(
          t('Answers'),
          answered.map((count) => countText(count)),
        )}
        ${weighted && row(t('Effective number'), weighted.map(effectiveText))}
        ${
          means &&
          isScored(compared) &&
          html`
            ${row(
              t('Mean'),
              means.map(({ mean, lower }) => html`${meanText(mean)}${marks(lower)}`),
            )}
            ${row(
              t('95% confidence interval'),
              means.map(({ interval }) => intervalText(interval)),
            )}
            ${row(
              t('Standard deviation'),
              means.map(({ deviation }) => meanText(deviation)),
            )}
            ${row(
              t('Median'),
              means.map(({ median }) => meanText(median)),
            )}
            ${row(
              t('Quartiles'),
              means.map(({ lowerQuartile, upperQuartile }) =>
                lowerQuartile === null
                  ? '–'
                  : t('{low} and {high}', { low: meanText(lowerQuartile), high: meanText(upperQuartile) }),
              ),
            )}`
        }
        ${
          scores &&
          html`
            ${row(
              t('Net promoter score'),
              scores.map(({ score, lower }) => html`${scoreText(score)}${marks(lower)}`),
            )}
            ${row(
              t('95% confidence interval'),
              scores.map(({ interval }) => intervalText(interval)),
            )}`
        }
      </tfoot>
    </table>
  </div>`
}

const intervalText = (interval: MeanSummary['interval']): string =>
  interval ? t('{low} to {high}', { low: meanText(interval[0]), high: meanText(interval[1]) }) : '–'

/** Returns whether the mean is meaningful: that of numbers, ratings and choices with scores. */
const isScored = ({ field: { type, choices } }: ComparedField): boolean =>
  type === 'number' ||
  choices.length === 0 ||
  (type === 'single' && choices.some(({ index, score }) => score !== index + 1))

/** Returns the address of the page or of its file. */
function groupsPath(report: ReportRequest, file: string, { by, groups, previous }: GroupChoice): string {
  const path = reportPath(report, GROUPS_PATH + file)
  const view = new URLSearchParams(by ? { 'view-by': by } : {})
  for (const group of groups) view.append('view-group', group)
  if (previous) view.set('view-previous', '1')
  return `${path}${path.includes('?') ? '&' : '?'}${view}`
}

/** Returns the figures as CSV, with a line for each figure of each group. */
export async function groupsFile(
  report: ReportRequest,
  snapshot: SurveySnapshot,
  choice: GroupChoice,
): Promise<TableFile> {
  const { groups, labels, questions } = await comparisonFor(report, snapshot, choice)
  const localize = localizerFor(snapshot.questionnaire, report.listQuery.language)
  const head = ['id', 'question', 'row', 'answer', 'letter', 'group', 'group_n', 'answered', 'count', 'percentage']
  const lines = questions.flatMap(({ question, fields }) =>
    fields.flatMap(({ field, answered, weighted, choices, means, scores }) =>
      groups.flatMap(({ n }, group) => {
        const letters = (lower: readonly number[] | undefined) => (lower ?? []).map(columnLetter).join(' ')
        const names = [field.key, localize(question.title), field.row ? localize(field.row.label) : '']
        const of = [columnLetter(group), labels[group]!, n, answered[group]!]
        const [mean, score] = [means?.[group], scores?.[group]]
        const base = weighted?.[group]
        const weights = (count: number | undefined) => (weighted ? [count, base?.n, base?.effectiveN] : [])
        return [
          [
            ...[...names, '', ...of, '', '', letters(mean?.lower)],
            ...[mean?.n, mean?.mean, mean?.deviation, mean?.interval?.[0], mean?.interval?.[1]],
            ...[score?.score, score?.interval?.[0], score?.interval?.[1], letters(score?.lower)],
            ...[mean?.median, mean?.lowerQuartile, mean?.upperQuartile, ...weights(undefined)],
          ],
          ...choices.map(({ choice, cells }) => {
            const { count, weighted: weight, percentage, lower } = cells[group]!
            const label = localize(choice.label)
            return [...names, label, ...of, count, percentage, letters(lower), ...NO_MEANS, ...weights(weight)]
          }),
        ]
      }),
    ),
  )
  const measures = ['higher_than', 'mean_n', 'mean', 'standard_deviation', 'mean_low', 'mean_high']
  return csvFile(
    [
      [...head, ...measures, ...NPS, ...QUARTILES, ...(groups.some(({ weighted }) => weighted) ? WEIGHTED : [])],
      ...lines,
    ],
    fileName(`${report.title} ${t('Groups')}`, 'csv'),
  )
}

const NPS = ['nps', 'nps_low', 'nps_high', 'nps_higher_than']
const QUARTILES = ['median', 'lower_quartile', 'upper_quartile']
const WEIGHTED = ['weighted_count', 'weighted_n', 'effective_n']
/** Columns that lines of choices do not have. */
const NO_MEANS = Array<string>(12).fill('')

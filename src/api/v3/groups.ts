import { type ComparedField, type Comparison, compareGroups as compare } from '../../domain/report/groups.ts'
import { round } from '../../domain/report/question-stats.ts'
import { DEFAULT_DESIGN } from '../../domain/report/report.ts'
import { columnLetter } from '../../domain/report/significance.ts'
import type { Services } from '../../domain/services.ts'
import { intervalView, meanView, weightedCount, weightedView } from './cross-table.ts'
import type { Operation, Schemas } from './operation.ts'
import { surveyUri } from './urls.ts'
import { type TextFormat, textFormatOf } from './views.ts'

/** Query parameters of a comparison. All other parameters are filters (docs/specification.md 7.7). */
const PARAMETERS: ReadonlySet<string> = new Set(['group', 'previous_period', 'weighted', 'language', 'filter'])

export const compareGroups: Operation<'compareGroups'> = async ({ context, path, query, search }) => {
  const { group = [], previous_period: previous = false, weighted = false, language, filter } = query
  const request = { search, mode: 'strict', parameters: PARAMETERS, filter } as const
  const groups = { queries: group, previous, weighted }
  const comparison = await compare(context, path.survey_id, DEFAULT_DESIGN, request, groups)
  return { status: 200, body: comparisonView(context.services, path.survey_id, comparison, language) }
}

function comparisonView(
  services: Services,
  surveyId: number,
  { questionnaire, groups, questions }: Comparison,
  language: string | undefined,
): Schemas['Comparison'] {
  const format = textFormatOf(language, questionnaire)
  return {
    survey_uri: surveyUri(services, surveyId),
    groups: groups.map(({ query, n, weighted, overlaps }, index) => ({
      letter: columnLetter(index),
      query: query ?? null,
      n,
      ...weightedView(weighted),
      overlaps: overlaps.map(columnLetter),
    })),
    questions: questions.map(({ question, answered, fields }) => ({
      id: question.id,
      identifier: question.identifier ?? null,
      type: question.idname,
      title: format(question.title),
      page: question.page,
      answered: [...answered],
      fields: fields.filter(({ field }) => !field.part).map((field) => fieldView(field, format)),
    })),
  }
}

const rounded = (value: number | null): number | null => (value === null ? null : round(value, 4))

const fieldView = (
  { field, answered, weighted, choices, means, scores }: ComparedField,
  format: TextFormat,
): Schemas['ComparedField'] => ({
  key: field.key,
  ...(field.row && { row_label: format(field.row.label) }),
  answered: [...answered],
  ...(weighted && { weighted: weighted.map((base) => weightedView(base)!) }),
  choices: choices.map(({ choice, isRemoved, cells }) => ({
    ...(!isRemoved && 'index' in choice && { index: choice.index }),
    label: format(choice.label),
    cells: cells.map(({ count, weighted: weight, percentage, lower, meanRank }) => ({
      count,
      ...weightedCount(weight),
      percentage,
      ...(meanRank !== undefined && { mean_rank: meanRank }),
      higher_than: lower.map(columnLetter),
    })),
  })),
  ...(means && {
    means: means.map(({ lower, ...mean }) => ({
      n: mean.n,
      ...meanView(mean),
      median: rounded(mean.median),
      lower_quartile: rounded(mean.lowerQuartile),
      upper_quartile: rounded(mean.upperQuartile),
      higher_than: lower.map(columnLetter),
    })),
  }),
  ...(scores && {
    nps: scores.map(({ score, interval, lower }) => ({
      score,
      interval: intervalView(interval),
      higher_than: lower.map(columnLetter),
    })),
  }),
})

import { WITH_ALL, WITH_INCOMPLETE, WITH_SCREENED_OUT } from '../../domain/report/queries.ts'
import { type Filter, parseCondition, splitPairs } from '../../domain/response/filter/filter.ts'
import type { SurveySnapshot } from '../../domain/survey/snapshot.ts'
import { t } from '../i18n/t.ts'
import { type FilterField, findFilterField } from './fields.ts'
import { inPageZone } from './local-day.ts'
import type { TextContext } from './text-context.ts'

type Operator = Filter['operator']

const isTime = ({ input }: FilterField): boolean => input !== 'text' && input !== 'number'

/** Returns the label of an operator for a field. */
export function operatorText(operator: Operator, field: FilterField): string {
  const texts: Record<Operator, string> = {
    '~': t('contains'),
    ...(isTime(field)
      ? { '=': t('is'), '<': t('before'), '>': t('after'), '<=': t('until'), '>=': t('from') }
      : {
          '=': t('is'),
          '<': t('is less than'),
          '>': t('is more than'),
          '<=': t('is at most'),
          '>=': t('is at least'),
        }),
  }
  return operator === '=' && field.multiple ? t('includes') : texts[operator]
}

/** Returns the operators that a field supports, with the most common operator first. */
export const operatorsFor = ({ ordered, searchable }: FilterField): readonly Operator[] => [
  ...(searchable ? (['~'] as const) : []),
  '=',
  ...(ordered ? (['>', '>=', '<', '<='] as const) : []),
]

/** Returns a condition as text: `Drink is Tea`. */
export function conditionText(
  condition: Pick<Filter, 'name' | 'operator' | 'value'>,
  field: FilterField | undefined,
): string {
  const { name, operator, value } = inPageZone(condition)
  switch (`${name}${operator}${value}`) {
    case WITH_SCREENED_OUT:
      return t('Including screened-out responses')
    case WITH_INCOMPLETE:
      return t('Including incomplete responses')
    case WITH_ALL:
      return t('Including incomplete and screened-out responses')
  }
  if (!field) return `${name} ${operator} ${value}`
  if (value === '' && operator === '=') return t('{label}: no answer', { label: field.label })
  const { values = [] } = field
  const named = values.find((one) => one.value === value) ?? values.find(({ code }) => code === value.trim())
  const label = named?.label ?? value
  return `${field.label} ${operatorText(operator, field)} ${label}`
}

/** Returns the conditions of a query string as text. */
export const conditionTexts = (snapshot: SurveySnapshot, query: string, context: TextContext): string[] =>
  splitPairs(query)
    .map((part) => parseCondition(snapshot.questionnaire, part))
    .map((parsed) =>
      conditionText(parsed, 'error' in parsed ? undefined : findFilterField(snapshot, parsed.name, context)),
    )

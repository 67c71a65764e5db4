import type { Filter } from '../../../domain/response/filter/filter.ts'
import type { Subject } from './filter-fields.ts'

type Operator = Filter['operator']

const isTime = ({ input }: Subject): boolean => input !== 'text' && input !== 'number'

/** An operator in words that suit what is compared. */
export function operatorWords(operator: Operator, subject: Subject): string {
  const words: Record<Operator, string> = {
    '~': 'contains',
    ...(isTime(subject)
      ? { '=': 'is', '<': 'before', '>': 'after', '<=': 'until', '>=': 'from' }
      : { '=': 'is', '<': 'is less than', '>': 'is more than', '<=': 'is at most', '>=': 'is at least' }),
  }
  return operator === '=' && subject.several ? 'includes' : words[operator]
}

/** The operators that make sense, the likeliest first. */
export const operatorsFor = ({ ordered, searchable }: Subject): readonly Operator[] => [
  ...(searchable ? (['~'] as const) : []),
  '=',
  ...(ordered ? (['>', '>=', '<', '<='] as const) : []),
]

/** A condition in words: `Drink is Tea`. */
export function conditionText(
  { name, operator, value }: Pick<Filter, 'name' | 'operator' | 'value'>,
  subject: Subject | undefined,
): string {
  if (!subject) return `${name} ${operator} ${value}`
  if (value === '' && operator === '=') return `${subject.label}: no answer`
  const label = subject.values?.find((one) => one.value === value)?.label ?? value
  return `${subject.label} ${operatorWords(operator, subject)} ${label}`
}

import type { Skip } from '../../../domain/structure/questionnaire.ts'
import type { Structure } from '../../../domain/structure/structure.ts'
import type { Html } from '../../../lib/html.ts'
import { select } from '../../forms/field.ts'
import { perLanguage, t } from '../../i18n/t.ts'
import { conditionSummary } from './condition-summary.ts'
import { defaultCode, nameOfPage } from './texts.ts'

const ENDS = perLanguage(() => [
  { value: 'complete', label: t('Finish the survey') },
  { value: 'terminate', label: t('End the survey as screened out') },
])

/**
 * Parses the target of a skip (the page or the end to which the skip leads) from the value of a form field. Returns
 * undefined if the value is not a target.
 */
export function parseTarget(value: string | undefined): Skip['to'] | undefined {
  if (value === 'complete' || value === 'terminate') return value
  return /^[1-9]\d{0,4}$/.test(value ?? '') ? Number(value) : undefined
}

/** Renders the list of possible targets for a skip after a page: later pages, and the ends of the survey. */
export function targetSelect(structure: Structure, page: number, to: Skip['to']): Html {
  const code = defaultCode(structure)
  const later = structure.form
    .map((frame, index) => ({ value: String(index + 1), label: nameOfPage(frame, index, code) }))
    .slice(page + 1)
  return select({ name: 'to', label: t('Skip to'), value: String(to), options: [...later, ...ENDS()] })
}

/**
 * Returns the skips of a page as text: `go to Page 3 if “Which drink?” is Tea`.
 * @param max maximum number of skips; absent: all skips
 */
export function skipSummaries(structure: Structure, page: number, code: string, max?: number): string[] {
  return (structure.form[page]?.skip ?? []).slice(0, max).map(({ to, when }) => {
    const condition = when === undefined ? undefined : conditionSummary(when, structure, code)
    if (to === 'complete')
      return condition === undefined ? t('finish the survey') : t('finish the survey if {condition}', { condition })
    if (to === 'terminate')
      return condition === undefined
        ? t('go to the end: the respondent is screened out')
        : t('go to the end if {condition}: the respondent is screened out', { condition })
    const frame = structure.form[Number(to) - 1]
    const target = frame ? nameOfPage(frame, Number(to) - 1, code) : String(to)
    return condition === undefined
      ? t('go to {target}', { target })
      : t('go to {target} if {condition}', { target, condition })
  })
}

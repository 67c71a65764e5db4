import { predefinedFilters } from '../../../domain/response/filter/named-filter.ts'
import type { NamedQuery } from '../../../domain/response/filter/saved-filters.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { type Conditions, faultId } from './conditions.ts'
import type { Subject } from './filter-fields.ts'
import { fromStart, type ListQuery, searchOf } from './list-query.ts'
import { conditionText } from './text-context.ts'

const PREDEFINED: Readonly<Record<string, string>> = {
  completed: 'Complete',
  invite_emails: 'Invited by email',
  invite_codes: 'Invited with a code',
}

/** A filter that every survey has, in words; one's own by its name. */
export const filterName = (name: string): string => PREDEFINED[name] ?? name

/** Links to the filters with a name; the one in use is marked. */
export function namedView(root: string, asked: ListQuery, saved: readonly NamedQuery[]): Html {
  const link = (name: string | undefined, label: string) => {
    const isHere = asked.filter === name && (name !== undefined || asked.conditions.length === 0)
    const target = searchOf(fromStart({ ...asked, conditions: [], filter: name }))
    return html`<li><a class="tag" href="${root}${target}"${isHere && html` aria-current="true"`}>${label}</a></li>`
  }
  return html`<nav aria-label="Quick filters"><ul class="tags named">${link(undefined, 'All')}${[...predefinedFilters.keys()].map((name) => link(name, filterName(name)))}${saved.map(({ name }) => link(name, name))}${saved.length > 0 && html`<li><a class="manage" href="${root}filters/">Manage…</a></li>`}</ul></nav>`
}

/** The conditions in force, each with a way to be rid of it; what is wrong with one stands beside it. */
export function chipsView(
  root: string,
  asked: ListQuery,
  { list, namedFault }: Conditions,
  subject: (name: string) => Subject | undefined,
): Part {
  const chips = list.map(({ written, read }, index) => {
    const rest = asked.conditions.filter((_, place) => place !== index)
    const fieldError = 'fault' in read ? read.fault : undefined
    const text = fieldError ? `${decoded(written)} ${fieldError}` : conditionText(read, subject(read.name))
    return chip(
      text,
      `${root}${searchOf(fromStart({ ...asked, conditions: rest }))}`,
      fieldError !== undefined && faultId(index),
    )
  })
  if (namedFault)
    chips.push(
      chip(`filter ${namedFault}`, `${root}${searchOf(fromStart({ ...asked, filter: undefined }))}`, 'fault-filter'),
    )
  return chips.length > 0 && html`<ul class="tags chips" aria-label="Active filters">${chips}</ul>`
}

/** @param wrong id of the chip where it says what is wrong */
const chip = (text: string, without: string, wrong: string | false): Html =>
  html`<li class="${wrong ? 'tag wrong' : 'tag'}"><span${wrong && html` id="${wrong}"`}>${text}</span> <a href="${without}" aria-label="Remove filter: ${text}"><span aria-hidden="true">×</span></a></li>`

/** A part of an address as people read it; what cannot be decoded stays. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

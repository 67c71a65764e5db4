import { STATE_LABELS } from '../../../domain/structure/meta-fields.ts'
import type { SurveySnapshot } from '../../../domain/survey/snapshot.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { type Condition, faultId } from './conditions.ts'
import type { Subject } from './filter-fields.ts'
import { type SimpleField, simpleField } from './filter-form.ts'
import { fromStart, type ListQuery, searchOf } from './list-query.ts'
import { operatorsFor, operatorWords } from './text-context.ts'

/** What the forms about conditions are made of. */
export interface FilterForm {
  /** Where the responses' pages begin. */
  root: string
  snapshot: SurveySnapshot
  asked: ListQuery
  conditions: readonly Condition[]
  subjects: readonly Subject[]
}

export const option = (value: string, label: string, chosen: boolean): Html =>
  html`<option value="${value}"${chosen && html` selected`}>${label}</option>`

/** What the page is about to change, and what it stays with. */
export const composing = (part: string, asked: ListQuery): Html =>
  html`<input type="hidden" name="part" value="${part}"><input type="hidden" name="base" value="${searchOf(fromStart(asked)).slice(1)}">`

/** What stands in a field of the simple form, and where it is said what is wrong with it. */
function simpleValue({ conditions }: FilterForm, field: SimpleField): { value: string; told: string | undefined } {
  const place = conditions.findIndex(({ read }) => simpleField(read.name, read.operator) === field)
  const read = conditions[place]?.read
  return { value: read?.value ?? '', told: read && 'fault' in read ? faultId(place) : undefined }
}

/** A day; what was typed and is none stays as it was typed. */
function dayField(form: FilterForm, name: 'from' | 'to', label: string): Html {
  const { value, told } = simpleValue(form, name)
  const type = value === '' || /^\d{4}-\d\d-\d\d$/.test(value) ? 'date' : 'text'
  return html`<div class="day"><label for="${name}">${label}</label><input class="box" type="${type}" id="${name}" name="${name}" value="${value}"${
    told && html` aria-invalid="true" aria-describedby="${told}"`
  }></div>`
}

function choiceField(form: FilterForm, name: 'completed' | 'collector', label: string, all: Part): Html {
  const { value } = simpleValue(form, name)
  const options =
    name === 'completed'
      ? STATE_LABELS.map((status, index) => [String(index), status] as const)
      : [...form.snapshot.collectors.values()].map((collector) => [String(collector.id), collector.name] as const)
  return html`<div><label for="${name}">${label}</label><select class="box" id="${name}" name="${name}"><option value="">${all}</option>${options.map(
    ([id, text]) => option(id, text, id === value),
  )}</select></div>`
}

/** Status, days, collector, and what else a condition could be about. */
export function simpleForm(form: FilterForm): Html {
  const { root, snapshot, asked, subjects } = form
  const group = (of: Subject['of'], label: string) => {
    const own = subjects.filter((subject) => subject.of === of)
    return (
      own.length > 0 &&
      html`<optgroup label="${label}">${own.map((one) => option(one.name, one.label, false))}</optgroup>`
    )
  }
  return html`<form method="get" action="${root}compose/" class="sift" aria-label="Filter">${composing('simple', asked)}
${choiceField(form, 'completed', 'Status', 'Any')}
${dayField(form, 'from', 'From')}
${dayField(form, 'to', 'To')}
${snapshot.collectors.size > 1 && choiceField(form, 'collector', 'Collector', 'All')}
<div class="wide"><label for="pick">Add filter</label><select class="box" id="pick" name="pick"><option value="">Choose a question or property</option>${group('question', 'Questions')}${group('response', 'Response details')}</select></div>
<button>Apply</button></form>`
}

/** The rest of a condition, once it is known what it is about. */
export function conditionForm({ root, asked }: FilterForm, subject: Subject): Html {
  const cancel = html`<a class="button plain small" href="${root}${searchOf(fromStart(asked))}">Cancel</a>`
  return html`<form method="get" action="${root}compose/" class="card sift picked" aria-labelledby="picked">${composing('condition', asked)}<input type="hidden" name="name" value="${subject.name}">
<h2 id="picked">${subject.label}</h2>
${subject.values ? valueChoice(subject) : valueInput(subject)}
<div class="actions"><button class="primary small">Add filter</button>${cancel}</div></form>`
}

const valueChoice = (subject: Subject): Html =>
  html`<div class="wide"><label for="value">${subject.several ? 'Includes' : 'Is'}</label><select class="box" id="value" name="value">${subject.values?.map(
    ({ value, label }) => option(value, label, false),
  )}${subject.optional && option('', 'No answer', false)}</select></div>`

function valueInput(subject: Subject): Html {
  const none = subject.optional && option('none', 'has no answer', false)
  return html`<div><label for="operator">Condition</label><select class="box" id="operator" name="operator">${operatorsFor(subject).map((one) => option(one, operatorWords(one, subject), false))}${none}</select></div>
<div class="wide"><label for="value">Value</label><input class="box" id="value" name="value" type="${subject.input}"${subject.input === 'number' && html` step="any"`}></div>`
}

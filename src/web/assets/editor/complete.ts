import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete'
import { indentString } from '@codemirror/language'
import type { EditorView } from '@codemirror/view'
import { structureSchema } from '../../../domain/structure/schema.ts'
import { type Offer, offersAt } from './completions.ts'

const types = { member: 'property', value: 'constant', object: 'class' } as const

/** What the schema of structures offers where the cursor stands. */
export function completions({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const text = state.doc.toString()
  const found = offersAt(structureSchema, text, pos)
  if (!found) return null
  const typed = text.slice(found.from, pos).replaceAll('"', '').toLowerCase()
  if (!explicit && found.from === pos) return null
  const options = found.offers.filter(({ label }) => label.toLowerCase().includes(typed)).map(completionOf)
  return options.length > 0 ? { from: found.from, to: found.to, options, filter: false } : null
}

const completionOf = (offer: Offer): Completion => ({
  label: offer.label,
  type: types[offer.kind],
  ...(offer.info !== undefined && { info: offer.info }),
  apply: (view, completion, from, to) => put(view, completion, offer, from, to),
})

/** Writes an offer with the indentation of its line, and leaves the cursor where one goes on. */
function put(view: EditorView, completion: Completion, { insert, kind }: Offer, from: number, to: number): void {
  const { state } = view
  const [indent] = /^\s*/.exec(state.doc.lineAt(from).text) ?? ['']
  const lines = insert.replaceAll('\n', `\n${indent || indentString(state, 0)}`)
  const mark = lines.indexOf('|')
  const text = mark < 0 ? lines : lines.slice(0, mark) + lines.slice(mark + 1)
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + (mark < 0 ? text.length : mark) },
    userEvent: 'input.complete',
    annotations: pickedCompletion.of(completion),
    scrollIntoView: true,
  })
  if (kind === 'member' && mark >= 0) setTimeout(() => startCompletion(view))
}

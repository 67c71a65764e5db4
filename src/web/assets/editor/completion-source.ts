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
import { type Suggestion, suggestionsAt } from './completions.ts'

const COMPLETION_TYPES = { member: 'property', value: 'constant', object: 'class' } as const

/** Suggests completions at the position of the cursor. The suggestions come from the schema of survey structures. */
export function completeStructure({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const text = state.doc.toString()
  const suggestions = suggestionsAt(structureSchema, text, pos)
  if (!suggestions) return null
  const prefix = text.slice(suggestions.from, pos).replaceAll('"', '').toLowerCase()
  if (!explicit && suggestions.from === pos) return null
  const options = suggestions.suggestions.filter(({ label }) => label.toLowerCase().includes(prefix)).map(completionOf)
  return options.length > 0 ? { from: suggestions.from, to: suggestions.to, options, filter: false } : null
}

const completionOf = (suggestion: Suggestion): Completion => ({
  label: suggestion.label,
  type: COMPLETION_TYPES[suggestion.kind],
  ...(suggestion.info !== undefined && { info: suggestion.info }),
  apply: (view, completion, from, to) => insertSuggestion(view, completion, suggestion, from, to),
})

/**
 * Inserts a suggestion. Indents its lines like the line at the cursor, and then places the cursor inside the inserted
 * text.
 */
function insertSuggestion(
  view: EditorView,
  completion: Completion,
  { insert, kind }: Suggestion,
  from: number,
  to: number,
): void {
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

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentString,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { structureSchema } from '../../../domain/structure/schema.ts'
import { type Suggestion, suggestionsAt } from './completions.ts'

/**
 * Returns the extensions of the JSON editor.
 * @param save is called when the author presses Ctrl+S
 */
export const editorExtensions = (save: () => void): Extension => [
  lineNumbers(),
  lintGutter(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  codeFolding(),
  foldGutter(),
  drawSelection(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  indentUnit.of('  '),
  bracketMatching(),
  closeBrackets(),
  autocompletion({ override: [completeStructure], icons: false }),
  highlightActiveLine(),
  highlightSelectionMatches(),
  EditorView.lineWrapping,
  json(),
  editorTheme,
  syntaxColors,
  EditorView.contentAttributes.of({
    'aria-labelledby': 'structure-label',
    'aria-describedby': 'structure-hint',
    autocapitalize: 'off',
    tabindex: '0',
  }),
  keymap.of([
    {
      key: 'Mod-s',
      run: () => {
        save()
        return true
      },
    },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...lintKeymap,
    ...defaultKeymap,
    indentWithTab,
  ]),
]

/** Colours of JSON tokens; the style sheet defines them for light and dark mode. */
const syntaxColors = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.propertyName, color: 'var(--code-name)' },
    { tag: tags.string, color: 'var(--code-text)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-value)' },
    { tag: tags.invalid, color: 'var(--bad)' },
  ]),
)

/** Makes the editor look like the form fields of the page. */
const editorTheme = EditorView.theme({
  '&': {
    border: '1px solid var(--line)',
    borderRadius: '0.5rem',
    backgroundColor: 'var(--field)',
    color: 'var(--ink)',
    fontSize: '0.875rem',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': {
    height: 'clamp(20rem, calc(100vh - 22rem), 60rem)',
    fontFamily: 'ui-monospace, "Cascadia Mono", Menlo, monospace',
    lineHeight: '1.5',
  },
  '.cm-content': { caretColor: 'var(--ink)', paddingBlock: '0.5rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { border: 'none', backgroundColor: 'var(--field)', color: 'var(--soft)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent-wash) 45%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--accent-wash)', color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-wash)', outline: '1px solid var(--accent)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-wash)' },
  '.cm-selectionMatch, .cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 18%, transparent)' },
  '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in srgb, var(--accent) 40%, transparent)' },
  '.cm-foldPlaceholder': { border: 'none', backgroundColor: 'var(--accent-wash)', color: 'var(--ink)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '0.5rem',
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: 'min(14rem, 50vw)',
    maxWidth: 'min(24rem, 60vw)',
    maxHeight: '18rem',
    fontFamily: 'inherit',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.3125rem 0.75rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionInfo': { padding: '0.5rem 0.75rem', maxWidth: '18rem' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-diagnostic': { padding: '0.5rem 0.75rem' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-panels': { backgroundColor: 'var(--card)', color: 'var(--ink)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--faint)' },
  '.cm-panel.cm-search': { padding: '0.5rem 2.5rem 0.5rem 0.75rem', fontSize: '0.875rem' },
  '.cm-panel.cm-search label': {
    display: 'inline-block',
    margin: '0.25rem 0.5rem',
    fontSize: '0.875rem',
    fontWeight: '400',
  },
  '.cm-panel.cm-search input[type=checkbox]': { margin: '0 0.375rem 0 0' },
  '.cm-textfield': {
    minHeight: '2.25rem',
    border: '1px solid var(--line)',
    borderRadius: '0.375rem',
    backgroundColor: 'var(--field)',
    color: 'var(--ink)',
    fontSize: '0.875rem',
  },
  '.cm-panel .cm-button': {
    minHeight: '2.25rem',
    border: '1px solid var(--line)',
    borderRadius: '0.375rem',
    backgroundImage: 'none',
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    fontSize: '0.875rem',
  },
  '.cm-panel button[name=close]': { minWidth: '1.5rem', minHeight: '1.5rem', color: 'var(--ink)' },
})

const COMPLETION_TYPES = { member: 'property', value: 'constant', object: 'class' } as const

/** Suggests completions at the position of the cursor. The suggestions come from the schema of survey structures. */
function completeStructure({ state, pos, explicit }: CompletionContext): CompletionResult | null {
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

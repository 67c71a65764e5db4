import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language'
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
import { completeStructure } from './completion-source.ts'
import { editorTheme, syntaxColors } from './theme.ts'

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

import type { Workbook } from '../../../lib/xlsx/workbook.ts'
import { WorkbookError } from '../../../lib/xlsx/workbook-error.ts'
import { choiceLists, listCounter } from './choices.ts'
import { join, type Result } from './condition.ts'
import { assignIds, conditionMember, expressionParser, type Form, relevanceOf, ruleCounter, textOf } from './form.ts'
import { gridOf } from './grid.ts'
import { type Issue, Issues } from './issues.ts'
import { Languages } from './languages.ts'
import { questionOf } from './question.ts'
import { Table } from './table.ts'
import { type GroupNode, type Node, treeOf } from './tree.ts'

type Members = Record<string, unknown>

/** The sheets of an XLSForm. */
export const SHEETS = ['survey', 'choices', 'settings'] as const

/** Maximum number of rows of the sheet `survey`. A survey has at most 5,000 questions. */
const MAX_ROWS = 10_000

/** Other sheets that a form can have. */
const OTHER_SHEETS = new Set(['entities', 'external_choices', 'osm'])

/** A converted form whose structure is not checked yet. */
export interface AuthoredForm {
  /** An authored structure. */
  structure: Members
  issues: Issue[]
}

/**
 * Converts the sheets of an XLSForm to a structure.
 * @returns undefined if there is no sheet `survey` with the column `type`
 * @throws {WorkbookError} `too_large`
 */
export function convertForm({ names, sheets }: Workbook): AuthoredForm | undefined {
  const issues = new Issues()
  const languages = new Languages(issues)
  const survey = new Table('survey', sheets.get('survey') ?? [], languages)
  if (!survey.has('type')) return undefined
  if (survey.rows.length > MAX_ROWS)
    throw new WorkbookError('too_large', { max: MAX_ROWS, unit: 'rows in the sheet survey' })
  const choices = new Table('choices', sheets.get('choices') ?? [], languages, new Map([['value', 'name']]))
  const settings = new Table('settings', sheets.get('settings') ?? [], languages).rows[0]
  const written = settings?.get('default_language') ?? ''
  const named =
    written === '' || /^default$/i.test(written)
      ? undefined
      : languages.codeOf(written, { sheet: 'settings', row: settings!.number })
  const hasPlainTexts = [survey, choices].some(({ columns }) =>
    columns.some(({ name, language }) => name === 'label' && language === undefined),
  )
  const defaultLanguage = named ?? (hasPlainTexts ? 'en' : (languages.codes[0] ?? 'en'))
  const rows = survey.rows.filter((row) => !row.isYes('disabled'))
  const form: Form = {
    issues,
    defaultLanguage,
    languages: languages.list(defaultLanguage).map(({ code }) => code),
    lists: choiceLists(choices, issues, defaultLanguage),
    ...assignIds(rows, issues),
    parse: expressionParser(),
    useList: listCounter(),
    useRules: ruleCounter(),
    referables: new Map(),
  }
  const isPaged = /\bpages\b/.test(settings?.get('style') ?? '')
  const pages = pagesOf(treeOf(rows, issues), form, isPaged)
  for (const name of names)
    if (OTHER_SHEETS.has(name.trim().toLowerCase()))
      issues.add(
        'sheet_ignored',
        { sheet: name.slice(0, 60) },
        `The sheet “${name.slice(0, 60)}” is not supported and was ignored.`,
      )
  survey.reportIgnored(issues, SURVEY_COLUMNS)
  choices.reportIgnored(issues, CHOICE_COLUMNS)
  const title =
    settings?.get('form_title') || settings?.get('form_id') || settings?.get('id_string') || 'Untitled survey'
  const list = languages.list(defaultLanguage)
  return {
    structure: {
      title: { [defaultLanguage]: title },
      ...(list.length > 1 || named ? { languages: list } : {}),
      form: pages,
    },
    issues: issues.list,
  }
}

/** Columns that are converted, and columns that change nothing for respondents. */
const SURVEY_COLUMNS = new Set(
  'type name label hint required relevant constraint constraint_message appearance parameters default calculation choice_filter read_only disabled repeat_count comment comments note notes'.split(
    ' ',
  ),
)
/**
 * The columns of the sheet of choices that are not reported as ignored: all except images and other media. An unknown
 * column contains values for the choice filter of a question. The choice filter is reported in place of the column.
 */
const CHOICE_COLUMNS = {
  has: (name: string) => !/^(?:media|image|audio|video|big-image)\b/.test(name),
} as ReadonlySet<string>

/**
 * Converts the nodes of the first level. A group becomes a page. The questions between two groups share a page or, if
 * `isPaged` is true, get one page each.
 */
function pagesOf(nodes: readonly Node[], form: Form, isPaged: boolean): Members[] {
  const pages: Members[] = []
  let loose: Members[] | undefined
  for (const node of nodes) {
    if ('children' in node) {
      loose = undefined
      pages.push(pageOf(node, form))
      continue
    }
    const question = questionOf(node.row, form, undefined)
    if (!question) continue
    if (!loose || isPaged) {
      loose = []
      pages.push({ type: 'page', children: loose })
    }
    loose.push(question)
  }
  return pages.filter(({ children, title }) => (children as Members[]).length > 0 || title !== undefined)
}

function pageOf(group: GroupNode, form: Form): Members {
  const condition = relevanceOf(group.row, form, 'page')
  const grid = gridOf(group, form, undefined)
  const title = grid ? undefined : textOf(group.row, 'label', form)
  const description = grid ? undefined : textOf(group.row, 'hint', form)
  return {
    type: 'page',
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...conditionMember(condition, form),
    children: grid ? [grid] : questionsOf(group.children, form, undefined),
  }
}

/**
 * Converts the nodes of a page. A group within a page becomes a grid or a section. The questions of a section get the
 * condition of the group.
 */
function questionsOf(nodes: readonly Node[], form: Form, shownIf: Result | undefined): Members[] {
  return nodes.flatMap((node): Members[] => {
    if (!('children' in node)) {
      const question = questionOf(node.row, form, shownIf)
      return question ? [question] : []
    }
    const own = relevanceOf(node.row, form, 'group of questions')
    const condition = join('all', [shownIf ?? true, own ?? true])
    const grid = gridOf(node, form, condition)
    if (grid) return [grid]
    const title = textOf(node.row, 'label', form)
    const section = {
      idname: 'section-separator',
      id: form.ids.get(node.row.number),
      title,
      ...conditionMember(condition, form),
      children: [],
    }
    return [...(title === undefined ? [] : [section]), ...questionsOf(node.children, form, condition)]
  })
}

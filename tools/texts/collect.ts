import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { metaFields, metaLabel, STATE_NAMES } from '../../src/domain/structure/meta-fields.ts'
import { galleryTemplates } from '../../src/domain/survey/gallery/gallery.ts'
import { joinLines } from '../../src/lib/html.ts'
import { findSegments, sourceOf } from '../../src/web/i18n/rewrite-template.ts'

/** The source files of the pages for owners, and of everything that is shown on these pages. */
const SOURCES = ['app', 'errors', 'filter', 'forms', 'layout', 'questions', 'report']
  .map((folder) => `src/web/${folder}/**/*.ts`)
  .concat('src/web/public-report.ts', 'src/web/session.ts', 'src/web/page.ts', 'src/web/assets/**/*.{ts,js}')

/** The texts of the pages: each text with the source files that use it. */
export interface PageTexts {
  texts: Map<string, Set<string>>
  /** The nouns that `pluralize` shows after a number, in the singular. */
  plurals: Map<string, Set<string>>
  /** The texts of scripts. */
  scripts: Map<string, Set<string>>
}

/** Texts of the domain that pages translate through a variable, as in `t(role)`. */
const DOMAIN_WORDS = [
  ...STATE_NAMES,
  ...metaFields.map(({ key }) => metaLabel(key)),
  ...['Scheduled', 'Sent', 'Viewed', 'Incomplete', 'Completed', 'Bounced'],
  ...['Weeks', 'Days', 'Hours', 'Minutes'],
  // The name of a change that was made through the API or the JSON editor.
  'Structure edited',
  // Problems whose text says more than that of their code.
  'Ask another administrator to do this with your account.',
  'This account is disabled. Ask the administrator of this server.',
  'This is the last administrator. Make another account an administrator first.',
  ...galleryTemplates().templates.flatMap(({ name, description, category }) => [name, description, category]),
]

/** Returns every English text in the sources of the pages: templates, and literals for `t` and `pluralize`. */
export function collectPageTexts(): PageTexts {
  const found: PageTexts = { texts: new Map(), plurals: new Map(), scripts: new Map() }
  for (const word of DOMAIN_WORDS) found.texts.set(word, new Set(['src/domain']))
  for (const path of globSync(SOURCES).sort()) {
    const add = (texts: Map<string, Set<string>>, text: string) =>
      texts.set(text, (texts.get(text) ?? new Set()).add(path))
    const visit = (node: ts.Node): void => {
      if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'html')
        for (const { text } of findSegments(sourceOf(joinLines(stringsOf(node.template))))) add(found.texts, text)
      if (ts.isCallExpression(node)) {
        const [first, second] = node.arguments
        const name = node.expression.getText()
        if ((name === 't' || name === 'storedText') && first && ts.isStringLiteralLike(first))
          add(found.texts, first.text.trim())
        if (name === 'pageText' && first && ts.isStringLiteralLike(first)) add(found.scripts, first.text)
        if (name === 'pluralize' && second && ts.isStringLiteralLike(second)) add(found.plurals, second.text)
      }
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true))
  }
  return found
}

/** Returns the static strings of a template. */
const stringsOf = (template: ts.TemplateLiteral): string[] =>
  ts.isNoSubstitutionTemplateLiteral(template)
    ? [template.text]
    : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]

/** Literals that are the same in every language. */
const SAME = /^(HTTP 0|Norsk bokmål)$/

/** Functions whose text arguments are not shown as part of a page, or are translated where they are shown. */
const OTHER_CALLS = new Set(['t', 'storedText', 'pageText', 'Error', 'readFileSync'])

/** Returns the literals in the sources of the pages that look like sentences but are never translated. */
export function findUntranslatable(): string[] {
  const found: string[] = []
  for (const path of globSync(SOURCES).sort()) {
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return
      if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && OTHER_CALLS.has(node.expression.getText())) {
        if (['t', 'storedText'].includes(node.expression.getText()))
          for (const argument of (node.arguments ?? []).slice(1)) visit(argument)
        return
      }
      const text = ts.isStringLiteralLike(node)
        ? node.text
        : ts.isTemplateExpression(node)
          ? stringsOf(node).join('0')
          : ''
      if (
        !ts.isTaggedTemplateExpression(node.parent ?? node) &&
        /^[A-Z“][\w“”]* [\w“”]+/.test(text) &&
        !SAME.test(text)
      )
        found.push(`${path}: ${text}`)
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true))
  }
  return found
}

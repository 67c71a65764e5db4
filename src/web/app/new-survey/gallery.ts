import { numberStructure } from '../../../domain/structure/numbering.ts'
import { titleOf } from '../../../domain/structure/structure.ts'
import { findGalleryTemplate, type GalleryTemplate, galleryStructure } from '../../../domain/survey/gallery/gallery.ts'
import { defaultSettings } from '../../../domain/survey/settings.ts'
import { defaultTheme } from '../../../domain/theme/theme.ts'
import { html } from '../../../lib/html.ts'
import { csrfField } from '../../csrf.ts'
import { field } from '../../forms/field.ts'
import { pageLanguage } from '../../i18n/page-locale.ts'
import { t } from '../../i18n/t.ts'
import { backLink } from '../../layout/back-link.ts'
import type { PageResult } from '../../page.ts'
import type { SignedInRequest } from '../../session.ts'
import { allowOwnFrames, renderPreview } from '../builder/preview.ts'
import { factsOf, NEW_PATH } from './show.ts'

const templateOf = ({ params }: SignedInRequest): GalleryTemplate => findGalleryTemplate(params.template ?? '')

/** Shows a template of the gallery beside its preview. */
export async function showGalleryTemplate(request: SignedInRequest): Promise<PageResult> {
  const template = templateOf(request)
  const { id, name, description } = template
  const structure = galleryStructure(template, pageLanguage())
  return request.render({
    title: t(name),
    beforeHeading: backLink(NEW_PATH, t('All templates')),
    content: html`<div class="workbench"><section class="card start" aria-labelledby="use"><h2 id="use">Use this template</h2><p>${t(description)}</p><p class="soft">${factsOf(template)}</p>
<form method="post" action="${NEW_PATH}">${csrfField(request.csrf)}<input type="hidden" name="gallery_template" value="${id}">
${field({ name: 'name', label: t('Name'), value: titleOf(structure), hint: t('You can change the name and all questions later.') })}
<div class="actions"><button class="primary">Create survey</button><a class="button plain" href="${NEW_PATH}">Cancel</a></div></form></section>
<section class="card preview" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2>
<iframe name="preview" title="Survey preview" src="${NEW_PATH}gallery/${id}/preview/"></iframe></section></div>`,
  })
}

/** Shows a template of the gallery as respondents see it. Nothing is stored. */
export async function previewGalleryTemplate(request: SignedInRequest): Promise<PageResult> {
  allowOwnFrames(request)
  const template = templateOf(request)
  const { id } = template
  const structure = galleryStructure(template, pageLanguage())
  return renderPreview(request, {
    structure: numberStructure(structure).structure,
    settings: defaultSettings,
    theme: defaultTheme,
    action: `${NEW_PATH}gallery/${id}/preview/`,
  })
}

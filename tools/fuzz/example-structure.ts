const choices = (...labels: string[]) => labels.map((label) => ({ label }))

/** A structure of one page with the questions in the examples of the contracts, so that the examples are valid. */
export const exampleStructure = {
  title: { en: 'Customer feedback', fr: 'Avis des clients' },
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français', isDefault: false },
  ],
  form: [
    {
      children: [
        {
          idname: 'single-choice',
          id: 'q1',
          title: { en: 'Are you content?', fr: 'Êtes-vous content ?' },
          children: [{ choices: choices('Yes', 'No', 'Red') }],
        },
        {
          idname: 'multiple-choice',
          id: 'q2',
          title: 'How did you hear of us?',
          children: [{ choices: [...choices('Friends', 'News', 'A shop'), { label: 'Another way', other: true }] }],
        },
        { idname: 'text-response', id: 'q3', title: 'What can we do better?', children: [{}] },
        {
          idname: 'single-choice',
          id: 'colour',
          title: 'Your colour?',
          children: [{ choices: choices('Blue', 'Green', 'Red') }],
        },
        { idname: 'number', id: 'age', title: 'Your age?', children: [{ min: 0, max: 150, unit: 'years' }] },
        {
          idname: 'file-upload',
          id: 'photo',
          title: 'Your photo?',
          children: [{ maxFiles: 2, fileTypes: ['image', 'spreadsheet'] }],
        },
        { idname: 'signature', id: 'signature', title: 'Your signature?', children: [{}] },
        {
          idname: 'constant-sum',
          id: 'budget',
          title: 'Distribute your budget',
          total: 100,
          unit: 'points',
          children: [{ label: 'Rent' }, { label: 'Food' }],
        },
        {
          idname: 'random-group',
          id: 'variant',
          title: 'Variant',
          choices: [{ label: 'Short' }, { label: 'Long', weight: 2 }],
        },
        {
          idname: 'consent',
          id: 'terms',
          title: 'Terms',
          children: [{ statement: 'I accept the terms.', version: '2026-01' }],
        },
        { idname: 'calculation', id: 'double', title: 'Twice the age', children: [{ expression: '2 * {{ age }}' }] },
        { idname: 'email', id: 'mail', title: 'Your email?', children: [{}] },
        { idname: 'rating', id: 'stars', title: 'How did you like it?', children: [{ steps: 5 }] },
        {
          idname: 'image-choice',
          id: 'cup',
          title: 'Which cup?',
          children: [
            {
              choices: [
                { label: 'Green', image: { url: 'https://images.example.org/green.jpg', alt: 'A green cup' } },
                { label: 'Blue', image: { url: 'https://images.example.org/blue.jpg', alt: 'A blue cup' } },
              ],
            },
          ],
        },
        {
          idname: 'multiple-choice-grid',
          id: 'uses',
          title: 'Which do you use, and where?',
          choices: choices('At home', 'At work'),
          children: [{ label: 'Telephone' }, { label: 'Tablet' }],
        },
        { idname: 'slider', id: 'effort', title: 'How much effort was it?', children: [{ max: 10, step: 0.5 }] },
        {
          idname: 'single-choice-grid',
          id: 'rating',
          title: 'How do you rate us?',
          choices: choices('Bad', 'Fair', 'Good'),
          children: [
            { type: 'single', label: 'Service' },
            { type: 'single', label: 'Price' },
          ],
        },
      ],
    },
  ],
}

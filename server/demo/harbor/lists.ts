/** The categories by which Harbor Masonry sorts its records. */

export const trades = [
  ...['Site manager', 'Foreman', 'Bricklayer', 'Stonemason', 'Block layer', 'Pointer', 'Concrete finisher'],
  ...['Scaffolder', 'Laborer', 'Equipment operator', 'Carpenter', 'Waterproofer'],
  ...['Electrician', 'Crane hire', 'Steel fixer', 'Stone supplier', 'Equipment rental', 'Surveyor'],
] as const
export type Trade = (typeof trades)[number]

export const projectCategories = ['Restoration', 'New build', 'Retaining wall', 'Chimney', 'Paving', 'Facade'] as const
export type ProjectCategory = (typeof projectCategories)[number]

export const clientCategories = ['Public body', 'Developer', 'Heritage', 'Commercial', 'Housing', 'Homeowner'] as const
export type ClientCategory = (typeof clientCategories)[number]

export const equipmentCategories = ['Mixing', 'Access', 'Cutting', 'Lifting', 'Earthwork', 'Transport'] as const
export type EquipmentCategory = (typeof equipmentCategories)[number]

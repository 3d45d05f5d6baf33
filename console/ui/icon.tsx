import SvgIcon, { type SvgIconProps } from '@mui/material/SvgIcon'

/** An icon, drawn by a path of `@mdi/js`. Screen readers skip it unless it has a `titleAccess`. */
export const Icon = ({ path, ...rest }: SvgIconProps & { path: string }) => (
  <SvgIcon {...rest}>
    <path d={path} />
  </SvgIcon>
)

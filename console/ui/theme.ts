import { createTheme } from '@mui/material/styles'

/** The theme: calm colours with a contrast of at least 4.5 in both schemes, and the fonts of the system. */
export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-scheme' },
  colorSchemes: {
    light: {
      palette: {
        contrastThreshold: 4.5,
        primary: { main: '#1c5f5a' },
        secondary: { main: '#8a5a00' },
        background: { default: '#f6f7f6', paper: '#ffffff' },
        error: { main: '#b3261e' },
        warning: { main: '#8a5000' },
        success: { main: '#226b35' },
        info: { main: '#23598f' },
        text: { primary: '#1b2423', secondary: '#54605e' },
        divider: '#dfe4e2',
      },
    },
    dark: {
      palette: {
        contrastThreshold: 4.5,
        primary: { main: '#7cc9c1' },
        secondary: { main: '#f0b429' },
        background: { default: '#121817', paper: '#1a2221' },
        error: { main: '#ff8a80' },
        warning: { main: '#ffb95c' },
        success: { main: '#7fce92' },
        info: { main: '#90c2f5' },
        text: { primary: '#e6ecea', secondary: '#a9b6b3' },
        divider: '#2f3a38',
      },
    },
  },
  shape: { borderRadius: 8 },
  typography: {
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
    h1: { fontSize: '1.5rem', fontWeight: 650, lineHeight: 1.25 },
    h2: { fontSize: '1.05rem', fontWeight: 650, lineHeight: 1.3 },
    h3: { fontSize: '0.95rem', fontWeight: 650 },
    subtitle1: { fontWeight: 600, lineHeight: 1.5 },
    subtitle2: { fontWeight: 600, lineHeight: 1.43 },
    button: { textTransform: 'none', fontWeight: 600 },
  },
  components: {
    MuiButtonBase: { defaultProps: { disableRipple: true } },
    MuiButton: { defaultProps: { disableElevation: true }, styleOverrides: { root: { minHeight: 36 } } },
    MuiChip: { defaultProps: { size: 'small', variant: 'outlined' } },
    MuiTable: { defaultProps: { size: 'small' } },
    MuiPaper: { defaultProps: { variant: 'outlined' }, styleOverrides: { root: { backgroundImage: 'none' } } },
    MuiTextField: {
      defaultProps: { size: 'small', fullWidth: true },
      variants: [{ props: { fullWidth: false }, style: { minWidth: 160 } }],
    },
    MuiAlert: { styleOverrides: { root: { overflowWrap: 'anywhere' } } },
    MuiTooltip: { defaultProps: { describeChild: false } },
    MuiTab: { styleOverrides: { root: { minHeight: 44, minWidth: 0, padding: '8px 12px' } } },
    MuiAppBar: {
      styleOverrides: {
        root: { border: 0, borderRadius: 0, background: 'var(--mui-palette-background-paper)' },
      },
    },
    MuiToolbar: { defaultProps: { variant: 'dense' }, styleOverrides: { root: { gap: 8, minHeight: 56 } } },
    MuiListItemButton: { styleOverrides: { root: { borderRadius: 12, padding: '4px 12px', minHeight: 38 } } },
    MuiStepper: { styleOverrides: { root: { marginBottom: 24 } } },
    MuiTabs: {
      defaultProps: { variant: 'scrollable', scrollButtons: 'auto' },
      styleOverrides: { root: { marginBottom: 16, borderBottom: '1px solid var(--mui-palette-divider)' } },
    },
    MuiDialogTitle: { styleOverrides: { root: { fontWeight: 650 } } },
    MuiDialogActions: { styleOverrides: { root: { padding: '8px 24px 16px' } } },
    // Rows wrap and are centred; columns are not.
    MuiStack: {
      defaultProps: { useFlexGap: true },
      variants: [{ props: { direction: 'row' }, style: { flexWrap: 'wrap', alignItems: 'center' } }],
    },
    MuiTypography: {
      defaultProps: { variantMapping: { subtitle1: 'p', subtitle2: 'p' } },
      styleOverrides: { root: { overflowWrap: 'anywhere' }, gutterBottom: { marginBottom: 16 } },
      variants: [{ props: { variant: 'h3', gutterBottom: true }, style: { marginBottom: 4 } }],
    },
    MuiLink: { styleOverrides: { root: { overflowWrap: 'inherit' } } },
    MuiCssBaseline: {
      styleOverrides: {
        ins: { textDecoration: 'none' },
        ':focus-visible': { outline: '2px solid var(--mui-palette-primary-main)', outlineOffset: 2 },
        '@media (prefers-reduced-motion: reduce)': {
          '*': { animation: 'none !important', transition: 'none !important' },
        },
      },
    },
  },
})

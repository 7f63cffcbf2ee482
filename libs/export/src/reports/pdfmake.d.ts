/** What reports use of pdfmake. Its published types bring those of a browser with them. */
declare module 'pdfmake' {
  export interface TextPart {
    readonly text: string;
    readonly font?: string;
  }
  export type Cell = {
    readonly text: string | readonly TextPart[];
    readonly alignment?: 'right' | 'center';
    readonly style?: string;
    readonly margin?: readonly number[];
  };
  export type Content =
    | Cell
    | { readonly columns: readonly Content[] }
    | { readonly qr: string; readonly fit: number; readonly eccLevel: 'L' }
    | {
        readonly table: {
          readonly headerRows: number;
          readonly widths: readonly string[];
          readonly body: readonly (readonly Cell[])[];
        };
        readonly layout: string;
      };
  export interface Definition {
    readonly content: readonly Content[];
    readonly compress: boolean;
    readonly version: string;
    readonly subset: string;
    readonly pageSize: string;
    readonly pageOrientation: 'landscape';
    readonly pageMargins: readonly number[];
    readonly info: Readonly<Record<string, string | Date>>;
    readonly defaultStyle: { readonly font: string; readonly fontSize: number };
    readonly styles: Readonly<Record<string, object>>;
    readonly footer: (page: number, pages: number) => Cell;
  }
  const pdfmake: {
    setFonts(fonts: Readonly<Record<string, { readonly normal: string }>>): void;
    setUrlAccessPolicy(allows: (url: string) => boolean): void;
    setLocalAccessPolicy(allows: (path: string) => boolean): void;
    createPdf(definition: Definition): { getBuffer(): Promise<Uint8Array> };
  };
  export default pdfmake;
}

/** What reports use of fontkit: which characters a font has. */
declare module 'fontkit' {
  export interface Font {
    hasGlyphForCodePoint(code: number): boolean;
  }
  export function openSync(file: string): Font;
}

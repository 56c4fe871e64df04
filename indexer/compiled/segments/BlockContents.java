package boilersweep;

import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DocValuesType;
import org.apache.lucene.index.IndexableFieldType;
import org.apache.lucene.util.BytesRef;

/** Contents with a block on each line; while Lucene reads them, notes where each block begins. */
public final class BlockContents extends Field {
  private final Numbers codes = new Numbers();
  private final Numbers stacked = new Numbers();
  private final Numbers value = new Numbers();

  public BlockContents(String name, CharSequence text, IndexableFieldType type) {
    super(name, text, type);
  }

  @Override
  public TokenStream tokenStream(Analyzer analyzer, TokenStream reuse) {
    return new Recorder(super.tokenStream(analyzer, reuse), stringValue());
  }

  /** Return the field that holds the blocks; it must follow the contents in its document. */
  public Field blocks(String name) {
    FieldType type = new FieldType();
    type.setDocValuesType(DocValuesType.BINARY);
    type.freeze();
    return new Field(name, new BytesRef(), type) {
      @Override
      public BytesRef binaryValue() {
        return new BytesRef(value.bytes, 0, value.end);
      }
    };
  }

  /** Numbers of seven bits a byte, the lowest first. */
  private static final class Numbers {
    byte[] bytes = new byte[256];
    int end;

    void add(long number) {
      if (end + 10 > bytes.length) {
        bytes = Arrays.copyOf(bytes, 2 * bytes.length);
      }
      for (; number > 0x7F; number >>>= 7) {
        bytes[end++] = (byte) (number | 0x80);
      }
      bytes[end++] = (byte) number;
    }

    void add(Numbers others) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length, end + others.end));
      System.arraycopy(others.bytes, 0, bytes, end, others.end);
      end += others.end;
    }
  }

  private final class Recorder extends TokenFilter {
    private final PositionIncrementAttribute step = addAttribute(PositionIncrementAttribute.class);
    private final OffsetAttribute offset = addAttribute(OffsetAttribute.class);
    private final String text;
    private int lines;
    private int lineEnd;
    private int position = -1;
    private int start;
    private int steps;
    private int stackedHere;
    private boolean anyStacked;

    Recorder(TokenStream input, String text) {
      super(input);
      this.text = text;
      lineEnd = lineEnd(0);
      codes.end = stacked.end = value.end = 0;
    }

    private int lineEnd(int from) {
      int found = text.indexOf('\n', from);
      return found < 0 ? text.length() : found;
    }

    @Override
    public boolean incrementToken() throws IOException {
      boolean found = input.incrementToken();
      int next = found ? position + step.getPositionIncrement() : position + 1;
      while (lineEnd < text.length() && (!found || offset.startOffset() > lineEnd)) {
        if (found && next == position) {
          throw new IOException("a block's first token is at the position of the one before it");
        }
        close(next);
        lineEnd = lineEnd(lineEnd + 1);
      }
      if (!found) {
        close(next);
        value.add(lines);
        value.add(codes);
        if (anyStacked) {
          value.add(stacked);
        }
        return false;
      }
      if (next > position) {
        steps++;
      } else {
        stackedHere++;
        anyStacked = true;
      }
      position = next;
      return true;
    }

    /** Note how many positions a block spans, and which of them have tokens. */
    private void close(int next) {
      long span = next - start;
      codes.add(span * (span + 1) / 2 + span - steps);
      stacked.add(stackedHere);
      lines++;
      start = next;
      steps = stackedHere = 0;
    }
  }
}
